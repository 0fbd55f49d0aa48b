"""ADJ109: atomics without an adjoint, and the value that a floating-point atomic returns."""

from __future__ import annotations

from collections.abc import Iterator

from warp_lint.kernels.graph import Value
from warp_lint.kernels.inspection import Inspection, Report, call_notes

CODE = "ADJ109"


def check(inspection: Inspection) -> Iterator[Report]:
    for event in inspection.writes():
        act = inspection.adjoint.act[event.value.args[0].id]
        if event.value.name == "exchange" and act and inspection.adjoint.useful(event.value):
            yield Report(
                CODE,
                event.location,
                f"`{event.atomic}` has no adjoint: the gradient of what it stores is lost",
                "store the value plainly, or add it with `wp.atomic_add`",
                call_notes(event.frame),
                act,
            )
    for value in inspection.graph.values:
        marker = value.extra
        if value.op != "call" or not value.name.startswith("atomic") or not isinstance(marker, Value):
            continue
        atomic = marker.event
        if atomic is None or not value.type.floating or not inspection.adjoint.carries(atomic):
            continue
        if inspection.adjoint.useful(value):
            yield Report(
                CODE,
                value.location,
                f"the value that `{atomic.atomic}` returns carries no gradient",
                "read the element in an earlier kernel",
                call_notes(value.frame),
                inspection.adjoint.bit(atomic.path),
            )
