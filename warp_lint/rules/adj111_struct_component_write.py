"""ADJ111: a component of a vector inside a struct assigned: the gradient of what is assigned is lost."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from warp_lint.findings import Note
from warp_lint.kernels.graph import Value
from warp_lint.kernels.inspection import Inspection, Report, call_notes
from warp_lint.rules._struct_arguments import argument_behind

CODE = "ADJ111"


def check(inspection: Inspection) -> Iterator[Report]:
    found: dict[tuple[int, int], Report] = {}
    for value in inspection.graph.values:
        if value.op != "mutate" or not value.key or not _inside(inspection, value):
            continue
        act = inspection.active(value.args[1])
        if not act or not inspection.adjoint.part_use(value, value.key):
            continue
        key = (id(value.cell), value.frame.id)
        known = found.get(key)
        if known is None:
            found[key] = Report(
                CODE,
                value.location,
                f"`{_text(value)}` is a component inside a struct: assigning it carries no gradient",
                "assign the whole vector to the struct's field",
                call_notes(value.frame),
                act,
            )
        elif len(known.notes) < 6:
            known.notes = (*known.notes, Note(value.location, f"`{_text(value)}` likewise"))
            known.paths |= act
    yield from found.values()


def _inside(inspection: Inspection, value: Value) -> bool:
    """A part of a vector in a local struct, or in a struct that is an argument of the kernel."""
    owner = value.args[0]
    if owner.type.kind == "struct":
        return len(value.key or ()) > 1 and not inspection.is_field(value)
    return owner.type.kind in ("vec", "mat", "quat", "transform") and argument_behind(inspection, value) is not None


def _text(value: Value) -> str:
    node = value.node
    target = node.targets[0] if isinstance(node, ast.Assign) else getattr(node, "target", node)
    return value.frame.module.segment(target)
