"""ADJ409: one tape per step, with state that depends on the parameters carried from tape to tape."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise

from warp_lint.findings import Finding, Note, Severity
from warp_lint.rules.tape_report import loop_note, operation_name, report
from warp_lint.trace.access import Place
from warp_lint.trace.analysis import Analysis
from warp_lint.trace.flow import Tier, gradient_key
from warp_lint.trace.model import Array, Gap, GradientWrite, Launch
from warp_lint.trace.sweep import Result

INTENTION = re.compile(r"truncat|receding|detach", re.IGNORECASE)


def check(analysis: Analysis) -> Iterator[Finding]:
    for first, second in pairwise(analysis.results):
        if not _consecutive(analysis, first, second):
            continue
        carried = _carried(analysis, first, second)
        if carried is None:
            continue
        array, writer, reader = carried
        named = INTENTION.search(second.window.event.remark)
        yield report(
            analysis,
            "ADJ409",
            Severity.INFO if named else Severity.WARNING,
            second.window.event.location,
            f"each backward pass covers one step only: `{analysis.name(array)}` comes from the tape before, "
            "where its gradient is not continued",
            "record all steps on one tape, or pass the gradient of the state on with `grads=`",
            [
                Note(analysis.where(writer), f"written on the earlier tape by {operation_name(analysis, writer)}"),
                Note(analysis.where(reader), "read on the later one"),
                *loop_note(analysis, first.window.index, second.window.index),
            ],
            second.window.index,
        )


def _consecutive(analysis: Analysis, first: Result, second: Result) -> bool:
    """Backward passes of two iterations of one loop, each over operations of its own."""
    a, b = first.window, second.window
    if not a.operations or not b.operations or b.start < a.index or a.event.location != b.event.location:
        return False
    if analysis.loop_between(a.index, b.index) is None:
        return False
    if a.event.loss is None or b.event.loss is None or a.event.seeds or b.event.seeds:
        return False
    between = analysis.events[a.start : b.index]
    return not any(isinstance(e, Gap) or (isinstance(e, GradientWrite) and e.kind != "zero") for e in between)


def _carried(analysis: Analysis, first: Result, second: Result) -> tuple[Array, int, int] | None:
    """State written on the first tape from a parameter and read on the second towards its loss."""
    written: dict[int, int] = {}
    for index in first.window.operations:
        event = analysis.events[index]
        if isinstance(event, Launch) and index in analysis.timeline.changes:
            for change in analysis.timeline.changes[index]:
                written[change.place.region.root] = index
    renewed: set[int] = set()
    for index in second.window.operations:
        event = analysis.events[index]
        useful = second.useful.get(index)
        if not isinstance(event, Launch) or event.effects is None:
            continue
        useful = useful or frozenset()
        readings = analysis.flow.readings.get(index, {})
        for path in sorted(set().union(*(event.effects.flows.get(p, frozenset()) for p in useful))):
            reading, array = readings.get(path), event.arguments.get(path)
            if reading is None or array is None or reading.upstream < Tier.INTEREST:
                continue
            writer = written.get(array.region.root)
            if writer is None or gradient_key(array) in analysis.flow.interest:
                continue
            last = analysis.timeline.last_change(Place(array.region), index)
            current = last is not None and first.window.start <= last.index <= first.window.last
            if current and last is not None and array.region.root not in renewed:
                return array, last.index, index
        for path, writes in analysis.timeline.bindings[index].writes.items():
            if any(write.clears for write in writes):  # also one that stores equal values
                renewed.add(event.arguments[path].region.root)
    return None
