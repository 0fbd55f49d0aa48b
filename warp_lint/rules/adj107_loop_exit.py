"""ADJ107: `break` or `return` in a loop with differentiated work."""

from __future__ import annotations

from collections.abc import Iterator

from warp_lint.kernels.conditions import exclusive
from warp_lint.kernels.graph import Exit, Loop
from warp_lint.kernels.inspection import Inspection, Report, call_notes

CODE = "ADJ107"


def check(inspection: Inspection) -> Iterator[Report]:
    for loop in inspection.graph.loops:
        for leave in loop.exits:
            whole = leave.kind == "return" or (leave.kind == "break" and loop.kind != "while")
            paths = _whole(inspection, loop) if whole else _unfinished(inspection, loop, leave)
            if not paths:
                continue
            if whole:
                message = f"`{leave.kind}` leaves a loop whose adjoint starts from its last pass"
            else:
                message = f"`{leave.kind}` skips the adjoint of what the pass has done before it"
            yield Report(
                CODE,
                loop.frame.module.location(leave.node),
                message,
                "let the loop run to its end, and put what must not happen after the exit under an `if`",
                call_notes(loop.frame),
                paths,
            )


def _whole(inspection: Inspection, loop: Loop) -> int:
    """Inputs whose gradient goes through a loop."""
    paths = 0
    for value in inspection.live_in(loop):
        paths |= inspection.active(value)
    return paths


def _unfinished(inspection: Inspection, loop: Loop, leave: Exit) -> int:
    """Inputs of what a pass did before it was left: the replay leaves it there too, ahead of its adjoint."""
    paths = 0
    for value in leave.changed:
        if inspection.live(value):
            paths |= inspection.active(value)
    for event in inspection.writes():
        if loop not in event.loops or not loop.start <= event.time < leave.time:
            continue
        if not exclusive(event.guards, leave.guards) and inspection.live(event.value):
            paths |= inspection.active(event.value)
    return paths
