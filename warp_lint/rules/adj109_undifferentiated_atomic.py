"""ADJ109: atomics without an adjoint, and the value that a floating-point atomic returns."""

from __future__ import annotations

from collections.abc import Iterator

from warp_lint.findings import Severity
from warp_lint.kernels.adjoint import extremum
from warp_lint.kernels.graph import Event, Value
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
        yield from _kept(inspection, event)
    for value in inspection.graph.values:
        marker = value.extra
        if value.op != "call" or not value.name.startswith("atomic") or not isinstance(marker, Value):
            continue
        atomic = marker.event
        pair = extremum(marker)
        if pair is not None and not inspection.active(pair[0]):
            continue
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


def _kept(inspection: Inspection, event: Event) -> Iterator[Report]:
    """`atomic_max(a, i, v)` where v wins: nothing clears the adjoint of the element, and what it held gets it too."""
    pair = extremum(event.value)
    if pair is None or not inspection.adjoint.useful(event.value) or pair[0].event is None:
        return
    old = pair[0].event
    writes, before = inspection.adjoint.reaching(old)
    held, unsure = 0, False
    for write in writes:
        source = extremum(write.value)
        if source is None:  # one extremum after another compares again
            held |= inspection.active(write.value.args[0])
    if before and inspection.active(pair[0]):
        if inspection.varied is None:
            unsure = not held
            held |= inspection.adjoint.bit(event.path)
        elif any(inspection.memory.canonical(p) == inspection.memory.canonical(event.path) for p in inspection.varied):
            held |= inspection.adjoint.bit(event.path)
    if held:
        yield Report(
            "ADJ109",
            event.location,
            f"what the element held before `wp.{event.atomic}` keeps its gradient, though the new value replaces it",
            "start from a constant: fill the array with one, or store to an array of its own",
            call_notes(event.frame),
            held,
            Severity.INFO if unsure else None,
        )
