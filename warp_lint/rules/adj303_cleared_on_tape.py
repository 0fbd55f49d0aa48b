"""ADJ303: an array is cleared, filled or assigned on the tape after its use; no tape records that."""

from __future__ import annotations

from collections.abc import Iterator

from warp_lint.findings import Finding
from warp_lint.rules.conflicts import conflict_message, conflicts
from warp_lint.rules.tape_report import at_event, report
from warp_lint.trace.analysis import Analysis
from warp_lint.trace.model import Event, Fill

_VERBS = {"zero": "cleared", "fill": "filled", "assign": "assigned from the host"}


def check(analysis: Analysis) -> Iterator[Finding]:
    for conflict in conflicts(analysis, "ADJ303"):
        message, notes = conflict_message(analysis, conflict, _verb(analysis.events[conflict.cause]))
        yield report(
            analysis,
            "ADJ303",
            conflict.severity,
            at_event(analysis, conflict.cause),
            message,
            "allocate a fresh array for each use",
            notes,
            conflict.cause,
            conflict.needed_by,
        )


def _verb(event: Event) -> str:
    kind = event.kind.rstrip("_") if isinstance(event, Fill) else ""
    return _VERBS.get(kind, "overwritten from the host" if kind else "overwritten")
