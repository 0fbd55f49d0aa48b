"""ADJ107: `break` or `return` in a loop with differentiated work."""

from __future__ import annotations

from collections.abc import Iterator

from warp_lint.kernels.graph import Exit, Loop
from warp_lint.kernels.inspection import Inspection, Report, call_notes

CODE = "ADJ107"


def check(inspection: Inspection) -> Iterator[Report]:
    for loop in inspection.graph.loops:
        for leave in loop.exits:
            if leave.kind == "continue":
                continue
            paths = _lost(inspection, loop, leave)
            if paths:
                yield Report(
                    CODE,
                    loop.frame.module.location(leave.node),
                    f"`{leave.kind}` leaves a loop whose adjoint starts from its last pass",
                    "guard the rest of the body with a flag in an unrolled loop, or multiply by a mask",
                    call_notes(loop.frame),
                    paths,
                )


def _lost(inspection: Inspection, loop: Loop, leave: Exit) -> int:
    """Inputs whose gradient an exit makes wrong. In a `while` only what ran in the last, unfinished pass."""
    paths = 0
    for value in inspection.live_in(loop):
        if loop.kind == "while" and leave.kind == "break" and value.id >= leave.time:
            break
        paths |= inspection.adjoint.act[value.id]
    return paths
