"""Effect summaries: what a kernel does to its arrays, for the host side."""

from __future__ import annotations

from collections.abc import Mapping
from zlib import crc32

from warp_lint.findings import Location
from warp_lint.kernels import effects as e
from warp_lint.kernels.adjoint import Adjoint, extremum
from warp_lint.kernels.analysis import graph_of, reader_of, stores_clear
from warp_lint.kernels.effects import Access, Affine, Effects, Path, ScalarNeed, Touch
from warp_lint.kernels.graph import Event, Graph, Value
from warp_lint.kernels.linear import Linear
from warp_lint.kernels.memory import Hit, Memory
from warp_lint.kernels.types import Type, TypeReader
from warp_lint.settings import Settings
from warp_lint.syntax.module import Definition
from warp_lint.syntax.project import Project


def kernel_effects(
    project: Project, definition: Definition, settings: Settings, scalars: Mapping[Path, object] | None = None
) -> Effects:
    """Effects of a kernel whose integer and boolean scalars in `scalars` are known. Never raises."""
    graph, options = graph_of(project, definition, settings, scalars)
    reader = reader_of(project)
    adjoint = Adjoint(graph, Memory(graph), stores_clear(settings))
    needs, scalar_needs = _needs(graph, adjoint)
    values = _value_masks(graph, adjoint)
    flows: dict[Path, int] = {}
    reaches: dict[Path, int] = {}
    for event in graph.events:
        if event.access is Access.READ or event.local:
            continue
        stored = event.value.args[0]
        derivative = 0 if event.value.name == "exchange" else adjoint.act[stored.id]
        flows[event.path] = flows.get(event.path, 0) | derivative
        mask = values[stored.id]
        for guard in event.guards:
            mask |= values[guard.condition.id]
        reaches[event.path] = reaches.get(event.path, 0) | mask
    return Effects(
        definition.name,
        definition.location,
        tuple(_parameter(reader, name, value.type) for name, value in graph.parameters.items()),
        tuple(_touch(event, graph, adjoint) for event in graph.events if not event.local),
        needs,
        scalar_needs,
        {path: adjoint.paths(mask) for path, mask in flows.items()},
        {path: adjoint.paths(mask) for path, mask in reaches.items()},
        options.backward,
        options.backward_disabled_at,
        graph.complete,
        tuple(graph.unknown),
        _own_defects(project, definition, settings, scalars),
        _extrema(graph),
        _restored(graph, adjoint),
        frozenset(event.path for event in graph.events if event.from_end),
    )


def _extrema(graph: Graph) -> frozenset[Path]:
    written: dict[Path, bool] = {}
    for event in graph.events:
        if event.access is not Access.READ:
            written[event.path] = written.get(event.path, True) and event.value.name == "extremum"
    return frozenset(path for path, only in written.items() if only)


def _restored(graph: Graph, adjoint: Adjoint) -> frozenset[Path]:
    writes: dict[Path, list[Event]] = {}
    for event in graph.events:
        if event.access is not Access.READ and not event.local:
            writes.setdefault(event.path, []).append(event)
    return frozenset(
        path
        for path, events in writes.items()
        if len(events) > 1
        and any(
            later.access is Access.STORE
            and not later.atomic
            and adjoint.act[first.value.args[0].id]
            and adjoint.memory.follows(first, later) is Hit.SURE
            for first in events
            for later in events
            if later is not first
        )
    )


def _own_defects(
    project: Project, definition: Definition, settings: Settings, scalars: Mapping[Path, object] | None
) -> frozenset[Path]:
    from warp_lint.kernels.problems import defective_paths

    return defective_paths(project, definition, settings, scalars)


def _parameter(reader: TypeReader, name: str, type: Type, depth: int = 0) -> e.Parameter:
    if type.kind == "array":
        return e.Parameter(name, "array", type.element.label if type.element else "", type.ndim)
    if type.kind == "struct" and type.struct is not None and depth < 6:
        fields = reader.fields(type.struct)
        members = tuple(_parameter(reader, field, inner, depth + 1) for field, inner in fields.items())
        return e.Parameter(name, "struct", type.label, 0, members)
    if type.kind == "handle":
        return e.Parameter(name, "handle", type.scalar)
    if type.kind == "unknown":
        return e.Parameter(name, "unknown")
    return e.Parameter(name, "scalar", type.label)


def index_form(event: Event, memory: Memory) -> e.Index:
    return tuple(None if form is None else _affine(form) for form in memory.index(event))


def _affine(form: Linear) -> Affine | None:
    terms: list[tuple[str, int]] = []
    for symbol, factor in form.terms:
        if not isinstance(symbol, tuple):
            return None
        if symbol[0] == "tid":
            terms.append((f"tid{symbol[1]}", factor))
        elif symbol[0] == "arg":
            terms.append((f"arg:{'.'.join(symbol[1])}", factor))
        elif symbol[0] == "loop":
            terms.append((f"loop:{symbol[1]}", factor))
        else:
            return None
    return Affine(tuple(sorted(terms)), form.constant)


def _touch(event: Event, graph: Graph, adjoint: Adjoint) -> Touch:
    element = event.array.type.element
    floating = element is None or element.floating
    stored = event.value if event.access is Access.READ else event.value.args[0]
    from_self = event.access is Access.STORE and feeds(graph, adjoint.memory, event)
    differentiable = floating if event.access is Access.READ else bool(adjoint.act[stored.id])
    if event.access is not Access.READ and event.value.name == "exchange":
        differentiable = False
    return Touch(
        event.path,
        event.access,
        index_form(event, adjoint.memory),
        event.location,
        any(_reads_data(guard.condition) for guard in event.guards),
        differentiable,
        from_self,
        bool(event.component),
        _component(event),
    )


def _component(event: Event) -> e.Component:
    """The literal part of a component key; a field of a struct is told apart by a number made from its name."""
    found: list[tuple[int, int]] = []
    element = event.array.type.element
    for part in event.component or ():
        if isinstance(part, Linear) and not part.terms:
            part = part.constant
        if isinstance(part, str) and element is not None and element.kind == "transform" and part in ("p", "q"):
            found.append((0, 3) if part == "p" else (3, 7))
        elif isinstance(part, str):
            number = crc32(part.encode())
            found.append((number, number + 1))
        elif isinstance(part, int) and part >= 0:
            found.append((part, part + 1))
        else:
            break
    return tuple(found)


def _reads_data(condition: Value) -> bool:
    """Not a mere bounds check on the thread index and scalar parameters."""
    seen: set[int] = set()
    pending = [condition]
    while pending:
        value = pending.pop()
        if value.id in seen:
            continue
        seen.add(value.id)
        if value.op in ("load", "opaque", "carry", "after", "severed", "loopvar") or value.name.startswith("atomic"):
            return True
        pending.extend(value.args)
    return False


def feeds(graph: Graph, memory: Memory, store: Event) -> bool:
    """Does the stored value depend on a load of the same element?"""
    return any(
        load.event is not None
        and memory.canonical(load.path) == memory.canonical(store.path)
        and memory.same_pass(load.event, store)
        for load in loads_below(store.value.args[0])
    )


def loads_below(value: Value, limit: int = 400) -> list[Value]:
    """Loads in the primal graph of a value."""
    found: list[Value] = []
    seen: set[int] = set()
    pending = [value]
    while pending and len(seen) < limit:
        node = pending.pop()
        if node.id in seen:
            continue
        seen.add(node.id)
        if node.op == "load":
            found.append(node)
        pending.extend(node.args)
    return found


def _value_masks(graph: Graph, adjoint: Adjoint) -> list[int]:
    masks = [0] * len(graph.values)
    for _ in range(2 if graph.loops else 1):
        for value in graph.values:
            mask = adjoint.bit(value.path) if value.op == "load" and value.path and value.path[0] != "<local>" else 0
            for argument in value.args:
                mask |= masks[argument.id]
            if value.op == "load" and value.event is not None:
                for write in adjoint.reaching(value.event)[0]:
                    mask |= masks[write.value.id]
            masks[value.id] = mask
    return masks


def _needs(graph: Graph, adjoint: Adjoint) -> tuple[tuple[e.Need, ...], tuple[ScalarNeed, ...]]:
    """Needs on loads and scalar parameters: a needed value needs everything it is computed from."""
    count = len(graph.values)
    partners, outputs = [0] * count, [0] * count
    first: list[tuple[str, Value] | None] = [None] * count
    for need in adjoint.needs:
        k = need.value.id
        partners[k] |= need.partners
        outputs[k] |= need.outputs
        if first[k] is None or (first[k] or ("", need.user))[0] in ("index", "bound"):
            first[k] = (need.kind, need.user)
    for _ in range(2 if graph.loops else 1):
        for value in reversed(graph.values):
            k = value.id
            if not partners[k]:
                continue
            for argument in value.args:
                j = argument.id
                partners[j] |= partners[k]
                outputs[j] |= outputs[k]
                if first[j] is None:
                    kind, user = first[k] or ("nonlinear", value)
                    first[j] = ("index" if value.op == "load" and argument.type.kind == "int" else kind, user)
    arrays: list[e.Need] = []
    scalars: list[ScalarNeed] = []
    for value in graph.values:
        k = value.id
        if not partners[k] or first[k] is None:
            continue
        kind, user = first[k] or ("nonlinear", value)
        if value.op == "load" and value.event is not None and not value.event.local:
            arrays.append(
                e.Need(
                    value.path,
                    adjoint.paths(partners[k]),
                    adjoint.paths(outputs[k]),
                    index_form(value.event, adjoint.memory),
                    _where(user),
                    kind,
                    user.frame.module.segment(user.node)[:120],
                    _component(value.event),
                )
            )
        elif value.op == "param" and value.type.kind not in ("struct", "array"):
            scalars.append(ScalarNeed(value.path, adjoint.paths(partners[k]), adjoint.paths(outputs[k]), _where(user)))
    for event in graph.events:
        pair = extremum(event.value)
        if pair is not None and adjoint.act[pair[1].id] and not event.local:
            arrays.append(
                e.Need(
                    event.path,
                    adjoint.paths(adjoint.act[pair[1].id]),
                    frozenset((event.path,)),
                    index_form(event, adjoint.memory),
                    event.location,
                    "extremum",
                    event.frame.module.segment(event.node)[:120],
                    _component(event),
                )
            )
    return tuple(arrays), tuple(scalars)


def _where(value: Value) -> Location:
    return value.location


__all__ = ["feeds", "index_form", "kernel_effects", "loads_below"]
