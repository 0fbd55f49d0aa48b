"""ADJ305: two live states are one object, or a handle on the same memory has another gradient."""

from __future__ import annotations

from collections.abc import Iterator

from warp_lint.findings import Finding, Note
from warp_lint.rules.conflicts import conflicts
from warp_lint.rules.tape_report import at_event, operation_name, report
from warp_lint.trace.analysis import Analysis
from warp_lint.trace.model import Rebind


def check(analysis: Analysis) -> Iterator[Finding]:
    for conflict in conflicts(analysis, "ADJ305"):
        assert conflict.rebound is not None
        event = analysis.events[conflict.rebound]
        assert isinstance(event, Rebind)
        target, source = event.target or "this", event.source or analysis.name(event.array)
        user = operation_name(analysis, conflict.needed_by)
        yield report(
            analysis,
            "ADJ305",
            conflict.severity,
            at_event(analysis, conflict.rebound),
            f"`{target}` and `{source}` are one object from here on: "
            f"it is overwritten although {user} still needs its old value",
            "copy the values with `wp.copy` outside the tape instead of rebinding the name",
            [
                Note(analysis.where(conflict.needed_by), "read here"),
                Note(analysis.where(conflict.cause), "overwritten here"),
            ],
            conflict.rebound,
        )
    for result in analysis.results:
        for cut in analysis.cuts(result.window):
            if cut.kind != "pointer":
                continue
            view = analysis.flow.views[id(cut.array)]
            yield report(
                analysis,
                "ADJ305",
                analysis.severity(cut.tier, cut.sure, cut.index, result.window.index),
                view.location,
                f"`{analysis.name(cut.array)}` shares the values of `{analysis.name(view.base)}` "
                "but not its gradient, so the gradient ends here",
                "use the array itself, a slice or `reshape`, which share the gradient",
                [Note(analysis.where(cut.index), "read through the handle here")],
            )
