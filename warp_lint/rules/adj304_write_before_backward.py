"""ADJ304: an array that the tape needs is written between the tape's end and `backward()`."""

from __future__ import annotations

from collections.abc import Iterator

from warp_lint.findings import Finding, Note
from warp_lint.rules.conflicts import conflict_message, conflicts
from warp_lint.rules.tape_report import at_event, report
from warp_lint.trace.analysis import Analysis


def check(analysis: Analysis) -> Iterator[Finding]:
    for conflict in conflicts(analysis, "ADJ304"):
        message, notes = conflict_message(analysis, conflict, "written before `backward()`")
        notes.append(Note(conflict.window.event.location, "`backward()` runs here"))
        yield report(
            analysis,
            "ADJ304",
            conflict.severity,
            at_event(analysis, conflict.cause),
            message,
            "write it after `backward()`",
            notes,
            conflict.cause,
            conflict.needed_by,
        )
