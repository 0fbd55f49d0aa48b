"""Rules over traces: families 3 and 4 together, one finding per cause over all traces."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace

from warp_lint.findings import Finding, Location, Note
from warp_lint.kernels.activity import KernelActivity
from warp_lint.rules import (
    adj101_array_operator,
    adj301_ping_pong,
    adj302_copy_onto_read,
    adj303_cleared_on_tape,
    adj304_write_before_backward,
    adj305_aliased_state,
    adj306_mutated_launch_argument,
    adj307_copy_before_read,
    adj308_double_write,
    adj401_tape_scope_leak,
    adj402_missing_zero,
    adj403_reentered_tape,
    adj404_severed_gradient,
    adj405_backward_disabled,
    adj406_retained_rewrite,
    adj407_stale_gradient,
    adj408_host_round_trip,
    adj409_truncated_horizon,
    adj410_consumed_seed,
    adj411_unrecorded_forward,
    adj412_bridge_accumulates,
    adj413_loss_accumulates,
    adj414_clone_not_detached,
)
from warp_lint.rules.tape_report import applies
from warp_lint.settings import Settings
from warp_lint.trace.activity import Contexts
from warp_lint.trace.analysis import Analysis
from warp_lint.trace.model import Trace

Check = Callable[[Analysis], Iterator[Finding]]

CHECKS: dict[str, Check] = {
    "ADJ101": adj101_array_operator.check,
    "ADJ301": adj301_ping_pong.check,
    "ADJ302": adj302_copy_onto_read.check,
    "ADJ303": adj303_cleared_on_tape.check,
    "ADJ304": adj304_write_before_backward.check,
    "ADJ305": adj305_aliased_state.check,
    "ADJ306": adj306_mutated_launch_argument.check,
    "ADJ307": adj307_copy_before_read.check,
    "ADJ308": adj308_double_write.check,
    "ADJ401": adj401_tape_scope_leak.check,
    "ADJ402": adj402_missing_zero.check,
    "ADJ403": adj403_reentered_tape.check,
    "ADJ404": adj404_severed_gradient.check,
    "ADJ405": adj405_backward_disabled.check,
    "ADJ406": adj406_retained_rewrite.check,
    "ADJ407": adj407_stale_gradient.check,
    "ADJ408": adj408_host_round_trip.check,
    "ADJ409": adj409_truncated_horizon.check,
    "ADJ410": adj410_consumed_seed.check,
    "ADJ411": adj411_unrecorded_forward.check,
    "ADJ412": adj412_bridge_accumulates.check,
    "ADJ413": adj413_loss_accumulates.check,
    "ADJ414": adj414_clone_not_detached.check,
}


def check_traces(traces: Iterable[Trace], settings: Settings) -> list[Finding]:
    """Findings of families 3 and 4 over traces, sorted; one per code and place, the most severe."""
    return judge_traces(traces, settings)[0]


def judge_traces(traces: Iterable[Trace], settings: Settings) -> tuple[list[Finding], dict[Location, KernelActivity]]:
    """`check_traces` and `launch_contexts` together, at the cost of one of them."""
    judge = Judge(settings)
    for trace in traces:
        judge.add(trace)
    return judge.findings(), judge.activities()


class Judge:
    """Takes traces one by one; none of them is kept."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._contexts = Contexts()
        self._best: dict[tuple[str, Location], Finding] = {}
        self._presumed: list[Finding] = []
        self._differentiated: set[Location] = set()

    def add(self, trace: Trace) -> None:
        analysis = Analysis(trace, self._settings)
        self._contexts.add(analysis)
        for finding in _check(analysis):
            _keep(self._best, finding)
        for window in analysis.gradients.windows:
            self._differentiated.update(trace.events[index].location for index in window.operations)
            self._differentiated.update(event.location for event in trace.events[window.start : window.index])
        if analysis.gradients.presumed:
            analysis.presuming = True
            self._presumed += _run(analysis, PRESUMED)

    def findings(self) -> list[Finding]:
        """Findings of families 3 and 4, sorted; one per code and place, the most severe."""
        best = dict(self._best)
        for finding in self._presumed:
            if finding.location not in self._differentiated:
                _keep(best, finding)
        return _one_per_line(best.values())

    def activities(self) -> dict[Location, KernelActivity]:
        """What the traces say of each kernel's launches."""
        return self._contexts.result()


def _keep(best: dict[tuple[str, Location], Finding], finding: Finding) -> None:
    key = (finding.code, finding.location)
    known = best.get(key)
    if known is None or _rank(finding) > _rank(known):
        best[key] = finding


def _one_per_line(findings: Iterable[Finding]) -> list[Finding]:
    """Findings in order; of those of one rule on one line the most severe, with the others as notes."""
    lines: dict[tuple[str, str, int], list[Finding]] = {}
    for finding in sorted(findings, key=Finding.sort_key):
        lines.setdefault((finding.code, finding.location.path, finding.location.line), []).append(finding)
    found: list[Finding] = []
    for same in lines.values():
        first = max(same, key=lambda finding: finding.severity)  # the leftmost of them
        others = tuple(Note(other.location, other.message) for other in same if other is not first)
        found.append(replace(first, notes=(*others, *first.notes)) if others else first)
    return sorted(found, key=Finding.sort_key)


# What may hide behind a cut of the gradient.
HIDDEN = ("ADJ301", "ADJ302", "ADJ303", "ADJ304", "ADJ305", "ADJ306", "ADJ308", "ADJ404", "ADJ405", "ADJ408")
REPAIRS = 3


# What is said of a tape whose backward pass isn't seen.
PRESUMED = ("ADJ301", "ADJ302", "ADJ303", "ADJ305", "ADJ308", "ADJ406")


def _check(analysis: Analysis) -> list[Finding]:
    """Findings of one trace, in the order of the rules; may repeat a place."""
    if not analysis.gradients.windows:
        return []
    findings = _run(analysis, CHECKS)
    repaired = analysis.repaired()
    for _ in range(REPAIRS):
        if repaired is None:
            break
        findings += _run(repaired, HIDDEN)
        repaired = repaired.repaired()
    return findings


def _run(analysis: Analysis, codes: Iterable[str]) -> list[Finding]:
    return [finding for code in codes if applies(analysis, code) for finding in CHECKS[code](analysis)]


def _rank(finding: Finding) -> tuple[int, tuple[str, int, int, str, str]]:
    """Order by severity, then by text, so that the order of traces does not matter."""
    return int(finding.severity), finding.sort_key()
