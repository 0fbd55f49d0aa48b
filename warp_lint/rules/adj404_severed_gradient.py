"""ADJ404: an array without `requires_grad` between a parameter and the loss."""

from __future__ import annotations

from collections.abc import Iterator

from warp_lint.findings import Finding, Note, Severity
from warp_lint.rules.tape_report import operation_name, report
from warp_lint.trace.analysis import Analysis
from warp_lint.trace.cuts import Cut
from warp_lint.trace.flow import Tier
from warp_lint.trace.sweep import Result


def check(analysis: Analysis) -> Iterator[Finding]:
    for result in analysis.results:
        for cut in analysis.cuts(result.window):
            if cut.kind in ("array", "view") and cut.tier > Tier.MAYBE:
                yield _finding(analysis, result, cut)


def _finding(analysis: Analysis, result: Result, cut: Cut) -> Finding:
    name = analysis.name(cut.array)
    severity = analysis.severity(cut.tier, cut.sure, cut.index, result.window.index)
    where = operation_name(analysis, cut.index)
    help = "allocate it with `requires_grad=True`, or like an array that has it"
    message = f"`{name}` has no gradient, so what {where} passes through it is lost"
    if cut.kind == "view":
        base = analysis.name(analysis.flow.views[id(cut.array)].base)
        message = f"`{name}` is a view made before `{base}` had a gradient, so what {where} passes through it is lost"
        help = "make the view after setting `requires_grad`"
    elif cut.array.requires_grad is False and cut.array.requires_grad_literal:
        severity = Severity.INFO
    return report(
        analysis,
        "ADJ404",
        severity,
        analysis.allocation(cut.array),
        message,
        help,
        [Note(analysis.where(cut.index), "on the way from a parameter to the loss here")],
    )
