"""ADJ405: a launch on the gradient path that has no adjoint."""

from __future__ import annotations

from collections.abc import Iterator

from warp_lint.findings import Finding, Note
from warp_lint.rules.tape_report import at_event, report
from warp_lint.trace.analysis import Analysis
from warp_lint.trace.flow import Tier
from warp_lint.trace.model import Launch

_REASONS = {
    "record_tape": "it is launched with `record_tape=False`",
    "command": "it is the launch of a recorded command",
}


def check(analysis: Analysis) -> Iterator[Finding]:
    for result in analysis.results:
        for cut in analysis.cuts(result.window):
            if cut.kind not in ("backward", "unrecorded") or cut.tier <= Tier.MAYBE:
                continue
            event = analysis.events[cut.index]
            if not isinstance(event, Launch) or event.effects is None:
                continue
            severity = analysis.severity(cut.tier, cut.sure, cut.index, result.window.index)
            name = analysis.name(cut.array)
            if cut.kind == "unrecorded":
                reason = _REASONS.get(event.unrecorded_reason, "the tape does not record this launch")
                yield report(
                    analysis,
                    "ADJ405",
                    severity,
                    at_event(analysis, cut.index),
                    f"`{event.kernel}` writes `{name}` on the way to the loss, but {reason}, so its gradient is zero",
                    "launch it with `wp.launch` inside the tape",
                    (),
                    cut.index,
                )
                continue
            at = event.effects.backward_disabled_at or event.effects.location
            yield report(
                analysis,
                "ADJ405",
                severity,
                at,
                f"`{event.kernel}` has no adjoint, but it writes `{name}` on the way to the loss",
                "enable backward for this kernel",
                [Note(event.location, "launched here"), Note(event.effects.location, "the kernel")],
            )
