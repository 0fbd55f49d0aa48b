"""ADJ104: a component of a local vector, matrix, quaternion, transform, struct or tile written in place.

(A) the replaced component holds a differentiable value: its adjoint isn't cleared.
(B) the whole object was needed by an adjoint before: it is one temporary, read after the write.
(C) a func assigns a component of its parameter, whose adjoint is the caller's.
(D) the struct is an argument of the kernel: the adjoint of its field starts at the field's value.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from warp_lint.findings import Location, Note
from warp_lint.kernels.graph import Cell, Frame, Mutation, Value
from warp_lint.kernels.inspection import Inspection, Report, call_notes, code_text
from warp_lint.kernels.linear import Linear
from warp_lint.kernels.objects import contents
from warp_lint.rules._parameters import taken
from warp_lint.rules._struct_arguments import assigned

CODE = "ADJ104"


@dataclass(slots=True)
class _Site:
    """Findings on one object in one activation."""

    name: str
    frame: Frame
    unsure: bool = False
    places: dict[Location, str] = field(default_factory=dict)
    notes: list[Note] = field(default_factory=list)
    paths: int = 0


def check(inspection: Inspection) -> Iterator[Report]:
    sites: dict[tuple[int, int], _Site] = {}
    for value in inspection.graph.values:
        if value.op != "mutate" or value.cell is None or value.extra == "copy":
            continue
        held = leaked(inspection, value)
        if held is not None:
            site = _site(sites, value.cell, value)
            site.places.setdefault(value.location, _text(value))
            site.paths |= held
            site.unsure = value.type.kind == "unknown" or (value.type.kind != "struct" and not value.type.scalar)
    for group in inspection.groups:
        mutation = group.cause.mutation
        if group.cause.kind != "mutation" or mutation is None:
            continue
        value = mutation.value
        assert value.cell is not None
        site = _site(sites, value.cell, value)
        site.places.setdefault(value.location, _text(value))
        site.paths |= group.partners
        for defect in group.defects[:2]:
            user = defect.need.user
            what = code_text(user)
            if user.location.line != value.location.line:
                site.notes.append(Note(user.location, f"the adjoint of `{what}` reads the whole of `{site.name}`"))
    for site in sites.values():
        yield _report(site)
    yield from _parameters(inspection, sites)
    yield from _arguments(inspection, sites)
    yield from _old_structs(inspection)
    yield from _old_array_components(inspection)


def _parameters(inspection: Inspection, sites: dict[tuple[int, int], _Site]) -> Iterator[Report]:
    """Components of a func's parameter, whose adjoint is that of the caller's variable."""
    found: dict[tuple[int, int], Report] = {}
    for one in taken(inspection):
        value = one.change
        key = (id(value.cell), value.frame.id)
        if value.op != "mutate" or key in sites:
            continue
        known = found.get(key)
        if known is not None:
            known.paths |= one.paths
            continue
        found[key] = Report(
            CODE,
            value.location,
            f"`{_text(value)}` is a func's own copy, but its reverse pass takes the gradient of the caller's variable",
            "copy the parameter to a local object before changing it, and return that",
            (Note(one.user.location, "this use behind the call loses its gradient"), *call_notes(value.frame)),
            one.paths,
        )
    yield from found.values()


def _arguments(inspection: Inspection, sites: dict[tuple[int, int], _Site]) -> Iterator[Report]:
    """Fields of the kernel's own struct argument."""
    for value, paths in assigned(inspection):
        if (id(value.cell), value.frame.id) not in sites:
            yield Report(
                CODE,
                value.location,
                f"`{_text(value)}` is a field of the kernel's argument, whose adjoint starts at the field's own value",
                "copy the struct to a local one before changing it",
                call_notes(value.frame),
                paths,
            )


def _site(sites: dict[tuple[int, int], _Site], cell: Cell, value: Value) -> _Site:
    return sites.setdefault((id(cell), value.frame.id), _Site(cell.name, value.frame))


def _report(site: _Site) -> Report:
    places = sorted(site.places.items())
    first, text = places[0]
    notes = [Note(where, f"`{other}` likewise") for where, other in places[1:6]]
    notes += list({note.location: note for note in site.notes}.values())[:3]
    return Report(
        CODE,
        first,
        f"`{text}` replaces a component of `{site.name}` whose value the reverse pass still uses",
        "build a new object with its constructor instead of assigning the component",
        (*notes, *call_notes(site.frame)),
        site.paths,
        unsure=site.unsure,
    )


def _text(value: Value) -> str:
    import ast

    node = value.node
    target = node.targets[0] if isinstance(node, ast.Assign) else getattr(node, "target", node)
    return value.frame.module.segment(target)


def leaked(inspection: Inspection, value: Value) -> int | None:
    """Condition (A): inputs whose gradient is wrong because the replaced component's adjoint stays; or None."""
    kind = value.args[0].type.kind
    if value.name != "set" or not value.key:
        return None
    if kind == "struct" and (inspection.is_field(value) or inspection.before("1.16")):
        return None  # the adjoint of a field is cleared
    if kind == "tile" and not inspection.before("1.17"):
        return None
    if not inspection.adjoint.part_use(value, value.key):
        return None
    result = 0
    for held in replaced(value):
        result |= inspection.adjoint.act[held.id]
    return result or None


def replaced(value: Value) -> list[Value]:
    """What the written component may have held, also before: no write on the way stops its adjoint. A key that moves
    with a loop never meets itself."""
    key = value.key or ()
    moving = any(isinstance(part, Linear) and part.terms for part in key)
    held = contents(value.args[0], key, sure=True, past=True, guards=value.guards)
    return [h for h in held if not (moving and h is value.args[1])]


def _old_structs(inspection: Inspection) -> Iterator[Report]:
    """Warp < 1.16: assigning a field of a local struct loses the gradient of what is assigned."""
    if not inspection.before("1.16"):
        return
    for value in inspection.graph.values:
        field = value.op == "mutate" and value.args[0].type.kind == "struct" and len(value.key or ()) == 1
        if field and inspection.adjoint.act[value.args[1].id] and inspection.adjoint.part_use(value, value.key):
            yield Report(
                CODE,
                value.location,
                f"`{_text(value)} =` carries no gradient in Warp before 1.16",
                "construct the struct from its fields, or use Warp 1.16 or newer",
                call_notes(value.frame),
                inspection.adjoint.act[value.args[1].id],
            )


def _old_array_components(inspection: Inspection) -> Iterator[Report]:
    """Components of array elements: `=` is wrong before 1.16, `+=` is zero from 1.16 until 1.19."""
    from warp_lint.kernels.effects import Access

    if not inspection.before("1.19"):
        return
    for store in inspection.writes():
        if not store.component or store.atomic or not inspection.adjoint.carries(store):
            continue
        act = inspection.adjoint.act[store.value.args[0].id]
        if not act or not inspection.adjoint.useful(store.value):
            continue
        accumulates = store.access is Access.ACCUMULATE
        if accumulates or inspection.before("1.16"):
            fixed = "1.19" if accumulates else "1.16"
            yield Report(
                CODE,
                store.location,
                f"a component of an array element is written here, whose gradient is lost in Warp before {fixed}",
                "store the whole element",
                call_notes(store.frame),
                act,
            )


__all__ = ["Mutation", "check", "leaked"]
