"""ADJ302: a copy overwrites an array that an earlier launch's adjoint needs."""

from __future__ import annotations

from collections.abc import Iterator

from warp_lint.findings import Finding
from warp_lint.rules.conflicts import conflict_message, conflicts
from warp_lint.rules.tape_report import at_event, report
from warp_lint.trace.analysis import Analysis


def check(analysis: Analysis) -> Iterator[Finding]:
    for conflict in conflicts(analysis, "ADJ302"):
        message, notes = conflict_message(analysis, conflict, "overwritten by a copy")
        yield report(
            analysis,
            "ADJ302",
            conflict.severity,
            at_event(analysis, conflict.cause),
            message,
            "copy into a new array, or go on with the source instead of copying it back",
            notes,
            conflict.cause,
            conflict.needed_by,
        )
