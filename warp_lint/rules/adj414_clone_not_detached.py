"""ADJ414: a recorded copy that the program calls a detach; gradients pass through it."""

from __future__ import annotations

import re
from collections.abc import Iterator

from warp_lint.findings import Finding, Note, Severity
from warp_lint.rules.tape_report import at_event, report
from warp_lint.trace.analysis import Analysis
from warp_lint.trace.flow import Tier
from warp_lint.trace.model import Copy

# What programs call a place where the gradient is meant to end, in names and comments.
INTENTION = re.compile(
    r"detach|stop[\s_-]*grad|no[\s_-]*grad|without[\s_-]+(a[\s_-]+)?grad|block\w*[\s_-]+(the[\s_-]+)?grad"
    r"|(?<![a-z])cut(?![a-z])|truncat|frozen|freeze",
    re.IGNORECASE,
)


def check(analysis: Analysis) -> Iterator[Finding]:
    for result in analysis.results:
        for index in result.window.operations:
            event = analysis.events[index]
            if not isinstance(event, Copy) or index not in result.useful:
                continue
            reading = analysis.flow.readings.get(index, {}).get(("source",))
            if reading is None or reading.upstream is not Tier.INTEREST:
                continue
            meant = INTENTION.search(event.text) or INTENTION.search(event.remark)
            if not meant and event.kind != "clone":
                continue
            word = f" although `{meant.group().strip()}` says it should end" if meant else ""
            yield report(
                analysis,
                "ADJ414",
                Severity.WARNING if meant else Severity.INFO,
                at_event(analysis, index),
                f"this {event.kind} is recorded, so the gradient passes through it to its source{word}",
                "give the copy `requires_grad=False` to cut the gradient, or copy while no tape is open",
                [Note(result.window.event.location, "differentiated here")],
                index,
            )
