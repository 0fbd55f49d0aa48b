"""ADJ101: an array element multiplied, divided or raised in place, whose old value an adjoint needs."""

from __future__ import annotations

from collections.abc import Iterator

from warp_lint.kernels.inspection import Inspection, Report, array_text
from warp_lint.rules._overwrites import found, need_notes, old_rewrites

CODE = "ADJ101"
_SIGNS = {"mul": "*=", "div": "/=", "pow": "**=", "mod": "%=", "floordiv": "//="}


def check(inspection: Inspection) -> Iterator[Report]:
    for group in found(inspection, CODE):
        event = group.cause.event
        assert event is not None
        names = sorted(".".join(path) for path in inspection.adjoint.paths(group.partners))
        whose = f"the gradient of `{'`, `'.join(names)}`" if names else "the gradient"
        yield Report(
            CODE,
            event.location,
            f"`{array_text(event)} {_SIGNS.get(event.augmented, '*=')}` overwrites the value that {whose} needs",
            "write the product to another array, or compute it on a local where it is used",
            need_notes(group),
            group.partners,
            unsure=group.unsure,
        )
    yield from old_rewrites(inspection, CODE)
