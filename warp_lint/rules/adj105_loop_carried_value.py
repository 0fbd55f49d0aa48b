"""ADJ105: the value of a name carried by a rolled loop is needed by an adjoint inside the loop."""

from __future__ import annotations

from collections.abc import Iterator

from warp_lint.kernels.inspection import Inspection, Report
from warp_lint.rules import _order
from warp_lint.rules._loops import carried, notes, place

CODE = "ADJ105"


def check(inspection: Inspection) -> Iterator[Report]:
    seen: set[tuple[int, str]] = set()
    for entry in carried(inspection):
        if not entry.inside:
            continue
        seen.add((entry.loop.id, entry.name))
        if entry.loop.kind == "while":
            message = f"`{entry.name}` changes in a `while` loop whose adjoint reads the value from before the change"
        else:
            message = f"`{entry.name}` is carried by a loop that isn't unrolled, and an adjoint in it needs its value"
        yield Report(
            CODE,
            place(entry.loop, entry.name),
            message,
            "keep every pass's value in an array, unroll the loop, or sum terms that don't depend on it",
            notes(entry, entry.defects),
            entry.paths,
            unsure=entry.unsure,
        )
    yield from _order.check(inspection, seen)
