"""ADJ308: before Warp 1.13 a store leaves the gradient of what it replaced."""

from __future__ import annotations

from collections.abc import Iterator

from warp_lint.findings import Finding
from warp_lint.rules.conflicts import conflict_message, conflicts
from warp_lint.rules.tape_report import at_event, report
from warp_lint.trace.analysis import Analysis


def check(analysis: Analysis) -> Iterator[Finding]:
    for conflict in conflicts(analysis, "ADJ308"):
        message, notes = conflict_message(analysis, conflict, "written a second time")
        yield report(
            analysis,
            "ADJ308",
            conflict.severity,
            at_event(analysis, conflict.cause),
            message,
            "write each array once per tape, or use Warp 1.13",
            notes,
            conflict.cause,
            conflict.needed_by,
        )
