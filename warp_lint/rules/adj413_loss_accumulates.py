"""ADJ413: a loss array grows over iterations because nothing resets it. The gradient is right."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

from warp_lint.findings import Finding, Note, Severity
from warp_lint.kernels.effects import Access
from warp_lint.rules.tape_report import at_event, loop_note, report
from warp_lint.trace.analysis import Analysis
from warp_lint.trace.model import HostRead, Launch
from warp_lint.trace.windows import Window


def check(analysis: Analysis) -> Iterator[Finding]:
    windows = analysis.gradients.windows
    for first, second in pairwise(windows):
        loss = second.event.loss
        if loss is None or first.event.loss is None or loss.region.root != first.event.loss.region.root:
            continue
        if second.start < first.index or not second.operations:
            continue
        before, again = _accumulates(analysis, first), _accumulates(analysis, second)
        if before is None or again is None or _changed_between(analysis, loss.region.root, before, again):
            continue
        if not _value_read(analysis, loss.region.root, again):
            continue
        yield report(
            analysis,
            "ADJ413",
            Severity.WARNING,
            at_event(analysis, again),
            f"`{analysis.name(loss)}` still holds the loss of the last pass, and this adds to it",
            "zero the loss before it is computed",
            [Note(analysis.where(first.index), "the pass before"), *loop_note(analysis, before, again)],
            again,
        )


def _accumulates(analysis: Analysis, window: Window) -> int | None:
    """The first launch of a window that adds to its loss, if nothing on the tape stores it first."""
    assert window.event.loss is not None
    root = window.event.loss.region.root
    for index in window.operations:
        event, binding = analysis.events[index], analysis.timeline.bindings.get(index)
        if not isinstance(event, Launch) or binding is None:
            continue
        for writes in binding.writes.values():
            for write in writes:
                if write.place.region.root == root:
                    return index if write.kind is Access.ACCUMULATE else None
    return None


def _changed_between(analysis: Analysis, root: int, first: int, second: int) -> bool:
    """Something other than adding wrote the array between two launches."""
    for index in range(first + 1, second):
        event = analysis.events[index]
        binding = analysis.timeline.bindings.get(index)
        if isinstance(event, Launch) and binding is not None:
            writes = [w for found in binding.writes.values() for w in found if w.place.region.root == root]
            if any(write.kind is not Access.ACCUMULATE for write in writes):
                return True
            continue
        if any(change.place.region.root == root for change in analysis.timeline.changes.get(index, ())):
            return True
        if isinstance(event, Launch) and any(a.region.root == root for a in event.arguments.values()):
            return True
    return False


def _value_read(analysis: Analysis, root: int, after: int) -> bool:
    return any(isinstance(e, HostRead) and e.array.region.root == root for e in analysis.events[after:])
