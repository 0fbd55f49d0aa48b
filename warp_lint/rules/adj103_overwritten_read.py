"""ADJ103: an array element that an adjoint needs is overwritten later in the same kernel."""

from __future__ import annotations

from collections.abc import Iterator

from warp_lint.kernels.inspection import Inspection, Report, array_text
from warp_lint.rules._overwrites import found, need_notes, needed_line, old_rewrites

CODE = "ADJ103"


def check(inspection: Inspection) -> Iterator[Report]:
    for group in found(inspection, CODE):
        event = group.cause.event
        assert event is not None
        name = array_text(event) if not event.atomic else ".".join(event.path)
        yield Report(
            CODE,
            event.location,
            f"`{name}` is overwritten here, but the gradient still needs the value read before{needed_line(group)}",
            "write to another array, so that the value read stays in memory until `backward()`",
            need_notes(group),
            group.partners,
            unsure=group.unsure,
        )
    yield from old_rewrites(inspection, CODE)
