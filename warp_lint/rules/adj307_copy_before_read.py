"""ADJ307: before Warp 1.17 the adjoint of a copy overwrites its source's gradient, before 1.16 it mixes up offsets."""

from __future__ import annotations

from collections.abc import Iterator

from warp_lint.findings import Finding, Note
from warp_lint.rules.tape_report import at_event, operation_name, report
from warp_lint.trace.analysis import Analysis
from warp_lint.trace.model import Copy


def check(analysis: Analysis) -> Iterator[Finding]:
    for result in analysis.results:
        for lost in result.lost:
            event = analysis.events[lost.copy]
            assert isinstance(event, Copy)
            name = analysis.name(event.source)
            if lost.shifted:
                yield report(
                    analysis,
                    "ADJ307",
                    analysis.severity(lost.tier, True, lost.copy, result.window.index),
                    at_event(analysis, lost.copy),
                    f"the adjoint of this copy doesn't swap the offsets, so `{name}` gets gradients of other elements",
                    "copy slices (`wp.copy(dst[:n], src[k:])`), or use Warp 1.16",
                    (),
                    lost.copy,
                )
                continue
            reader, notes = "later operations", []
            if lost.reader is not None:
                reader = operation_name(analysis, lost.reader)
                notes.append(Note(analysis.where(lost.reader), f"`{name}` is read again here"))
            yield report(
                analysis,
                "ADJ307",
                analysis.severity(lost.tier, True, lost.copy, result.window.index),
                at_event(analysis, lost.copy),
                f"the adjoint of this copy overwrites the gradient that {reader} gave `{name}`",
                "copy with a kernel, make the copy the last use of its source, or use Warp 1.17",
                notes,
                lost.copy,
            )
