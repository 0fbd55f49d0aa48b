"""ADJ403: a tape is entered again after its backward pass, without `reset()`."""

from __future__ import annotations

from collections.abc import Iterator

from warp_lint.findings import Finding, Note
from warp_lint.rules.conflicts import enters_after
from warp_lint.rules.tape_report import at_event, operation_name, report
from warp_lint.trace.analysis import Analysis
from warp_lint.trace.flow import Tier
from warp_lint.trace.sweep import Result


def check(analysis: Analysis) -> Iterator[Finding]:
    for result in analysis.results:
        window = result.window
        if window.previous is None:
            continue
        entered = enters_after(analysis, window, window.previous)
        if not entered:
            continue
        operation = _replayed(analysis, result, window.previous, entered[0])
        if operation is None:
            continue
        readings = analysis.flow.readings.get(operation, {})
        tier = max((reading.actual for reading in readings.values()), default=Tier.NONE)
        if tier is Tier.NONE:
            continue
        opaque = analysis.opaque_between(window.previous, window.index, None, window.tape)
        yield report(
            analysis,
            "ADJ403",
            analysis.severity(tier, not opaque, entered[0], window.index),
            at_event(analysis, entered[0]),
            "this tape still holds the launches of its last backward pass, "
            f"so {operation_name(analysis, operation)} is differentiated again",
            "call `tape.reset()` before entering it again, or use a new tape",
            [
                Note(analysis.where(window.previous), "differentiated here already"),
                Note(window.event.location, "and again here"),
            ],
            entered[0],
        )


def _replayed(analysis: Analysis, result: Result, previous: int, entered: int) -> int | None:
    """An operation from before the last backward pass that gets a gradient it should not get."""
    old = [index for index in result.window.operations if index < previous and result.useful.get(index)]
    if not old:
        return None
    wrong = {leak.receiver for leak in result.leaks} | result.leaked_into
    for index in old:
        if index in wrong:
            return index
    where = analysis.where(entered)
    again = any(analysis.where(enter) == where for enter, _ in result.window.scopes if enter < previous)
    return old[0] if again else None
