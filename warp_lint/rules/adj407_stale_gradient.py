"""ADJ407: a gradient is read before its backward pass, or after something zeroed it."""

from __future__ import annotations

from collections.abc import Iterator

from warp_lint.findings import Finding, Note
from warp_lint.rules.tape_report import at_event, report
from warp_lint.trace.analysis import Analysis
from warp_lint.trace.flow import Tier


def check(analysis: Analysis) -> Iterator[Finding]:
    for one in analysis.gradients.after_clear:
        name = analysis.name(one.array)
        if one.view:
            message = f"this zeroes the gradient of `{name}` under a host view of it that is used afterwards"
            help = "keep a copy: `.numpy().copy()`"
        else:
            message = f"this zeroes the gradient of `{name}` before it is read"
            help = "read the gradient before clearing it"
        yield report(
            analysis,
            "ADJ407",
            analysis.severity(Tier.INTEREST, True, one.clear, one.read),
            at_event(analysis, one.clear),
            message,
            help,
            [Note(analysis.where(one.read), "used here"), Note(analysis.where(one.backward), "computed here")],
            one.clear,
        )
    for consumed in analysis.gradients.consumed:
        name = analysis.name(consumed.array)
        yield report(
            analysis,
            "ADJ407",
            analysis.severity(Tier.INTEREST, True, consumed.read, consumed.backward),
            at_event(analysis, consumed.read),
            f"the gradient of `{name}` is zero here: the backward pass consumed it at the store that wrote `{name}`",
            "allocate it with `retain_grad=True` and store each element once",
            [
                Note(analysis.allocation(consumed.array), f"`{name}` is allocated here"),
                Note(analysis.where(consumed.backward), "the backward pass"),
            ],
            consumed.read,
        )
    for early in analysis.gradients.early:
        name = analysis.name(early.array)
        yield report(
            analysis,
            "ADJ407",
            analysis.severity(Tier.INTEREST, True, early.read, early.backward),
            at_event(analysis, early.read),
            f"the gradient of `{name}` is read here before the backward pass that computes it",
            "read it after `backward()`",
            [Note(analysis.where(early.backward), "computed here")],
            early.read,
        )
