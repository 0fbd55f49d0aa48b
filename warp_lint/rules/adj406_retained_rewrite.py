"""ADJ406: with `retain_grad=True` a store does not clear the gradient of what it replaces."""

from __future__ import annotations

from collections.abc import Iterator

from warp_lint.findings import Finding, Note
from warp_lint.rules.conflicts import conflict_message, conflicts
from warp_lint.rules.tape_report import at_event, operation_name, report
from warp_lint.trace.analysis import Analysis

_HELP = "read the gradient from an array that is written once, or leave `retain_grad` off"


def check(analysis: Analysis) -> Iterator[Finding]:
    for conflict in conflicts(analysis, "ADJ406"):
        message, notes = conflict_message(analysis, conflict, "written again while it retains its gradient")
        notes.append(Note(analysis.allocation(conflict.array), "`retain_grad=True` here"))
        yield report(
            analysis,
            "ADJ406",
            conflict.severity,
            at_event(analysis, conflict.cause),
            message,
            _HELP,
            notes,
            conflict.cause,
            conflict.needed_by,
        )
    for result in analysis.results:
        for leak in result.leaks:
            if leak.kind == "leftover" and leak.array.retain_grad:
                name = analysis.name(leak.array)
                window = result.window
                yield report(
                    analysis,
                    "ADJ406",
                    analysis.severity(leak.tier, leak.sure, leak.write, window.index),
                    window.event.location,
                    f"`{name}` retains its gradient of the last backward pass, "
                    f"which {operation_name(analysis, leak.receiver)} gets again",
                    "clear it between the passes with `tape.zero()`",
                    [
                        Note(analysis.where(leak.write), "the pass before"),
                        Note(analysis.allocation(leak.array), "`retain_grad=True` here"),
                    ],
                    window.index,
                )
