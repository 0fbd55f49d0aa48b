"""ADJ401: work after the loss inside the tape's scope overwrites what the tape needs; `backward()` inside it."""

from __future__ import annotations

from collections.abc import Iterator

from warp_lint.findings import Finding, Note, Severity
from warp_lint.rules.conflicts import conflict_message, conflicts
from warp_lint.rules.tape_report import at_event, report
from warp_lint.trace.analysis import Analysis


def check(analysis: Analysis) -> Iterator[Finding]:
    for conflict in conflicts(analysis, "ADJ401"):
        message, notes = conflict_message(analysis, conflict, "overwritten inside the tape after the loss")
        yield report(
            analysis,
            "ADJ401",
            conflict.severity,
            at_event(analysis, conflict.cause),
            message,
            "end the `with` block after the loss, and do this after `backward()`",
            notes,
            conflict.cause,
            conflict.needed_by,
        )
    again = {window.previous for window in analysis.gradients.windows}
    for window in analysis.gradients.windows:
        if not window.inside or not window.operations:
            continue
        scope = analysis.scope_of(window, window.index)
        if scope is None:
            continue
        yield report(
            analysis,
            "ADJ401",
            Severity.WARNING if window.index in again else Severity.INFO,
            window.event.location,
            "`backward()` inside the scope of its own tape records the adjoint launches on it again",
            "call `backward()` after the `with` block",
            [Note(analysis.where(scope[0]), "the tape is entered here")],
            window.index,
        )
