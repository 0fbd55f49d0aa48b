"""ADJ301: a launch overwrites an array that an earlier launch's adjoint needs."""

from __future__ import annotations

from collections.abc import Iterator

from warp_lint.findings import Finding
from warp_lint.rules.conflicts import conflict_message, conflicts
from warp_lint.rules.tape_report import at_event, report
from warp_lint.trace.analysis import Analysis


def check(analysis: Analysis) -> Iterator[Finding]:
    for conflict in conflicts(analysis, "ADJ301"):
        message, notes = conflict_message(analysis, conflict, "overwritten")
        yield report(
            analysis,
            "ADJ301",
            conflict.severity,
            at_event(analysis, conflict.cause),
            message,
            "write into an array of its own for each step",
            notes,
            conflict.cause,
            conflict.needed_by,
        )
