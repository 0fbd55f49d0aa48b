"""ADJ105: the value of a name carried by a rolled loop is needed by an adjoint inside the loop."""

from __future__ import annotations

from collections.abc import Iterator

from warp_lint.findings import Note
from warp_lint.kernels.graph import Loop
from warp_lint.kernels.inspection import Inspection, Report, call_notes
from warp_lint.rules import _order
from warp_lint.rules._loops import carried, notes, place
from warp_lint.rules._parameters import taken

CODE = "ADJ105"


def check(inspection: Inspection) -> Iterator[Report]:
    seen: set[tuple[int, str]] = set()
    for entry in carried(inspection):
        if not entry.inside:
            continue
        seen |= entry.keys
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
    yield from _parameters(inspection, seen)
    yield from _order.check(inspection, seen)


def _parameters(inspection: Inspection, seen: set[tuple[int, str]]) -> Iterator[Report]:
    """A func's parameter assigned in a rolled loop: its adjoint is that of the caller's variable."""
    for one in taken(inspection):
        loop = one.change.extra
        if one.change.op != "carry" or not isinstance(loop, Loop) or (loop.id, one.change.name) in seen:
            continue
        seen.add((loop.id, one.change.name))
        yield Report(
            CODE,
            place(loop, one.change.name),
            f"`{one.change.name}` is a parameter that a loop assigns, and its reverse pass takes the gradient of the "
            "caller's variable",
            "copy the parameter to a local variable before the loop",
            (Note(one.user.location, "this use behind the call loses its gradient"), *call_notes(loop.frame)),
            one.paths,
        )
