"""ADJ106: a value computed by a rolled loop is needed by an adjoint behind (or ahead of) the loop."""

from __future__ import annotations

from collections.abc import Iterator

from warp_lint.kernels.graph import Loop
from warp_lint.kernels.inspection import Inspection, Report, call_notes
from warp_lint.rules._loops import carried, notes, place

CODE = "ADJ106"


def check(inspection: Inspection) -> Iterator[Report]:
    for entry in carried(inspection):
        if entry.inside:
            continue
        if entry.outside:
            message = (
                f"`{entry.name}` is computed by a loop that isn't unrolled, and an adjoint behind it needs its value"
            )
        else:
            message = (
                f"`{entry.name}` is overwritten by a loop that isn't unrolled, and an adjoint before it needs its value"
            )
        yield Report(
            CODE,
            place(entry.loop, entry.name),
            message,
            "compute it in a `@wp.func` that returns the raw result, or store it to an array and read it back",
            notes(entry, entry.defects),
            entry.paths,
            unsure=entry.unsure,
        )
    yield from _body_locals(inspection)


def _body_locals(inspection: Inspection) -> Iterator[Report]:
    """A name that only the loop body assigns, used behind the loop: its adjoint is cleared by the loop's."""
    reported: set[tuple[int, str]] = set()
    for entry in carried(inspection):
        reported |= entry.keys
    for value in inspection.graph.values:
        if value.op != "after" or value.key != ("body",) or not isinstance(value.extra, Loop):
            continue
        key = (value.extra.id, value.name)
        if key in reported or not inspection.live(value):
            continue
        reported.add(key)
        yield Report(
            CODE,
            place(value.extra, value.name),
            f"`{value.name}` is assigned only in a loop that isn't unrolled, and its gradient behind the loop is lost",
            "assign it before the loop",
            call_notes(value.extra.frame),
            inspection.adjoint.act[value.id],
        )
