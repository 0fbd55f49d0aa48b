"""ADJ101 and ADJ102 on the host: `y *= x` or `wp.map(f, y, out=y)` on whole arrays, whose adjoint needs the old `y`."""

from __future__ import annotations

from collections.abc import Iterator

from warp_lint.findings import Finding, Note
from warp_lint.kernels.effects import Access
from warp_lint.rules.tape_report import at_event, report
from warp_lint.trace.analysis import Analysis
from warp_lint.trace.flow import Tier
from warp_lint.trace.model import Launch
from warp_lint.trace.sweep import Result, is_operator

# Maps of these functions scale; operators on arrays all do.
_SCALING = ("map mul", "map div")


def check(analysis: Analysis) -> Iterator[Finding]:
    for result in analysis.results:
        for index in result.useful:
            event = analysis.events[index]
            if isinstance(event, Launch) and is_operator(event):
                yield from _updates(analysis, result, index, event)


def _updates(analysis: Analysis, result: Result, index: int, event: Launch) -> Iterator[Finding]:
    effects, binding = event.effects, analysis.timeline.bindings.get(index)
    if effects is None or binding is None:
        return
    readings = analysis.flow.readings.get(index, {})
    for need in effects.needs:
        if need.path not in binding.writes or effects.first_access(need.path) is not Access.READ:
            continue
        tier = max((readings[p].actual for p in need.partners if p in readings), default=Tier.NONE)
        if tier is Tier.NONE or not need.outputs & result.useful[index]:
            continue
        name = analysis.name(event.arguments[need.path])
        partners = [analysis.name(event.arguments[p]) for p in sorted(need.partners) if p in event.arguments]
        yield report(
            analysis,
            "ADJ102" if event.kernel.startswith("map ") and event.kernel not in _SCALING else "ADJ101",
            analysis.severity(tier, True, index, result.window.index),
            at_event(analysis, index),
            f"`{name}` is updated in place, but the gradient of `{partners[0]}` needs its old value",
            "write the result into a new array",
            [Note(result.window.event.location, "differentiated here")],
            index,
        )
        return
