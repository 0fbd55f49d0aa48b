"""ADJ408: values on the gradient path go through the host or an unrecorded library call."""

from __future__ import annotations

from collections.abc import Iterator

from warp_lint.findings import Finding, Note
from warp_lint.rules.tape_report import at_event, report
from warp_lint.trace.analysis import Analysis
from warp_lint.trace.cuts import Cut
from warp_lint.trace.flow import Tier, gradient_key
from warp_lint.trace.model import Allocate, Copy, Fill, Launch, UnrecordedCall
from warp_lint.trace.sweep import Result


def check(analysis: Analysis) -> Iterator[Finding]:
    for result in analysis.results:
        for cut in analysis.cuts(result.window):
            if cut.kind not in ("host", "call") or cut.tier <= Tier.MAYBE:
                continue
            inside = analysis.scope_of(result.window, cut.index) is not None
            if inside or _starved(analysis, result, cut) or _made_afterwards(analysis, result, cut):
                yield _finding(analysis, result, cut)


def _starved(analysis: Analysis, result: Result, cut: Cut) -> bool:
    """Values of a leaf are loaded ahead of the tape, and its gradient, which the program reads, gets nothing ever."""
    key = gradient_key(cut.array)
    return (
        cut.kind == "host"
        and cut.index < result.window.start
        and analysis.flow.own_tier(cut.array) is Tier.INTEREST
        and not any(key in other.reached for other in analysis.results)
    )


def _made_afterwards(analysis: Analysis, result: Result, cut: Cut) -> bool:
    """The host makes what backward starts from, out of what the closed tape computed, and no step of it writes that."""
    event = analysis.events[cut.index]
    if not isinstance(event, Allocate | Fill) or cut.index < result.window.last:
        return False
    root = event.array.region.root
    for index in result.window.operations:
        binding = analysis.timeline.bindings.get(index)
        operation = analysis.events[index]
        if isinstance(operation, Launch) and binding is not None:
            if any(operation.arguments[path].region.root == root for path in binding.writes):
                return False
        elif isinstance(operation, Copy) and operation.destination.region.root == root:
            return False
    return True


def _finding(analysis: Analysis, result: Result, cut: Cut) -> Finding:
    name = analysis.name(cut.array)
    severity = analysis.severity(cut.tier, cut.sure, cut.index, result.window.index)
    event = analysis.events[cut.index]
    summed = _summed(analysis, cut) if isinstance(event, Launch | Allocate | Fill) else None
    if isinstance(event, UnrecordedCall) or summed is not None:
        index = summed if summed is not None else _gathered(analysis, result, cut)
        event = analysis.events[index]
        assert isinstance(event, UnrecordedCall)
        return report(
            analysis,
            "ADJ408",
            severity,
            at_event(analysis, index),
            f"`{event.function}` is not recorded on the tape, so the gradient ends at `{name}`",
            "compute it with a kernel",
            (),
            index,
        )
    read = analysis.host_read(cut.array, cut.index)
    place = read if read is not None and read < cut.index else cut.index
    return report(
        analysis,
        "ADJ408",
        severity,
        at_event(analysis, place),
        f"the values of `{name}` leave the tape here, so the gradient that should reach `{name}` ends",
        "keep the value in a Warp array and compute with kernels",
        [Note(analysis.where(cut.index), "they come back here")],
        place,
    )


def _summed(analysis: Analysis, cut: Cut) -> int | None:
    """The library call that made a scalar of the array's values, unless the host read them later: `array_sum(x)`."""
    for index in range(cut.index - 1, -1, -1):
        event = analysis.events[index]
        if isinstance(event, UnrecordedCall) and not event.outputs and cut.array in event.inputs:
            read = analysis.host_read(cut.array, cut.index)
            return index if read is None or read < index else None
    return None


def _gathered(analysis: Analysis, result: Result, cut: Cut) -> int:
    """The call that took the array's values: an earlier one, if it put them into an object of its own."""
    scope = analysis.scope_of(result.window, cut.index)
    assert scope is not None
    for index in range(scope[0], cut.index):
        event = analysis.events[index]
        if isinstance(event, UnrecordedCall) and not event.outputs and cut.array in event.inputs:
            return index
    return cut.index
