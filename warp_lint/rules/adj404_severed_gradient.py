"""ADJ404: an array without `requires_grad` between a parameter and the loss."""

from __future__ import annotations

from collections.abc import Iterator

from warp_lint.findings import Finding, Note, Severity
from warp_lint.rules.tape_report import operation_name, report
from warp_lint.trace.analysis import Analysis
from warp_lint.trace.cuts import Cut
from warp_lint.trace.flow import Tier, gradient_key
from warp_lint.trace.model import Copy, Launch
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
        severity = min(severity, Severity.WARNING) if _dry(analysis, result) else Severity.INFO
    return report(
        analysis,
        "ADJ404",
        severity,
        analysis.responsible(cut.array),
        message,
        help,
        [Note(analysis.where(cut.index), "on the way from a parameter to the loss here")],
    )


def _dry(analysis: Analysis, result: Result) -> bool:
    """Does the pass use a leaf whose gradient the program reads, and give it none at all?

    Then a literal `requires_grad=False` cannot be meant as leaving out one of several ways.
    """
    flow = analysis.flow
    for index in result.window.operations:
        event = analysis.events[index]
        if isinstance(event, Launch):
            read = [event.arguments[path] for path in flow.readings.get(index, ())]
        else:
            read = [event.source] if isinstance(event, Copy) else []
        for array in read:
            if flow.own_tier(array) is Tier.INTEREST and gradient_key(array) not in result.reached:
                return True
    return False
