"""ADJ102: an array element replaced by a function of itself, whose old value an adjoint needs."""

from __future__ import annotations

from collections.abc import Iterator

from warp_lint.kernels.inspection import Inspection, Report, array_text
from warp_lint.rules._overwrites import found, need_notes, old_rewrites

CODE = "ADJ102"


def check(inspection: Inspection) -> Iterator[Report]:
    for group in found(inspection, CODE):
        event = group.cause.event
        assert event is not None
        guarded = all(defect.need.kind == "condition" for defect in group.defects)
        if guarded:
            message = (
                f"`{array_text(event)}` is overwritten under a condition that reads it, and the adjoint decides anew"
            )
        else:
            message = f"`{array_text(event)}` is overwritten by a function of itself, whose adjoint needs the old value"
        yield Report(
            CODE,
            event.location,
            message,
            "store the result to another array",
            need_notes(group),
            group.partners,
            unsure=group.unsure,
        )
    yield from old_rewrites(inspection, CODE)
