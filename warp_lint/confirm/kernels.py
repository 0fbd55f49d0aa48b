"""`--confirm`: each flagged kernel or func alone in a subprocess, and a verdict with numbers.

One subprocess compiles many kernels together. A kernel that crashes or hangs takes its subprocess
along; the rest is run again without it.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

from warp_lint.codes import RULES
from warp_lint.confirm import judge
from warp_lint.confirm.options import ConfirmOptions
from warp_lint.confirm.subjects import Trials
from warp_lint.confirm.wrap import PREFIX, VALUE_PREFIX
from warp_lint.findings import Finding, Note, Severity, Status, Subject, Verdict
from warp_lint.syntax.module import Definition
from warp_lint.syntax.project import Project


def confirm_kernels(findings: Sequence[Finding], project: Project, options: ConfirmOptions) -> list[Finding]:
    """The findings with verdicts where their subject is a kernel or func, and those that only running
    the code can find, in the files the project holds. Never raises for what the user's code does."""
    given = list(project.modules())  # before imports are followed
    trials = Trials(project, options.python)
    for finding in findings:
        if finding.subject is not None and finding.subject.kind in ("kernel", "func"):
            trials.want(finding.subject, finding.code, finding.location)
    for module in given:
        if options.mode == "all":
            trials.want_all(module)
        trials.want_custom(module)
    trials.run(options)
    confirmed = [_with_verdict(finding, trials) for finding in findings]
    if options.mode == "all" and options.tell is not None:
        options.tell(_told(trials))
    return sorted([*confirmed, *_extra(trials, confirmed, options)], key=Finding.sort_key)


def _told(trials: Trials) -> str:
    """How the kernels that were run turned out, in a sentence; those that could not be judged by name."""
    right, wrong = 0, 0
    open_: list[str] = []
    for trial in trials.found.values():
        if trial.role != "kernel" or trial.outcome is None:
            continue
        outcome = trial.outcome
        if outcome.failed:
            open_.append(f"`{trial.definition.qualname}` ({outcome.failed})")
        elif judge.wrong(outcome) is not None:
            wrong += 1
        elif judge.right(outcome):
            right += 1
        else:
            open_.append(f"`{trial.definition.qualname}`")
    parts = [f"{right} kernel{'s agree' if right != 1 else ' agrees'} with finite differences"]
    if wrong:
        parts.append(f"{wrong} {'do' if wrong != 1 else 'does'} not")
    if open_:
        more = f" and {len(open_) - 8} more" if len(open_) > 8 else ""
        parts.append(f"not judged: {', '.join(open_[:8])}{more}")
    return "kernels alone: " + "; ".join(parts)


def _with_verdict(finding: Finding, trials: Trials) -> Finding:
    subject = finding.subject
    if subject is None or subject.kind not in ("kernel", "func"):
        return finding
    trial = trials.of(subject)
    if trial is None:
        reason = f"`{subject.qualname}` can't be found in `{subject.path}`"
        return finding.with_verdict(Verdict(Status.INCONCLUSIVE, reason))
    if trial.outcome is None:
        return finding.with_verdict(Verdict(Status.UNTESTED, "not run"))
    shown = judge.verdict(finding.code, trial.outcome, trial.codes)
    deliberate = trials.deliberate(trial)
    if shown.status is Status.CONFIRMED and deliberate is not None and finding.code not in judge.SINGULAR:
        reason = f"`{deliberate}` has a gradient of its own on purpose, which no difference can confirm"
        shown = Verdict(Status.INCONCLUSIVE, reason, shown.method)
    if shown.status is Status.REFUTED and trials.missed(trial, finding.location):
        shown = Verdict(Status.INCONCLUSIVE, "no inputs tried reach this line", shown.method)
    if trial.assumed:
        # Right with one value doesn't make it right with others.
        if shown.status is Status.REFUTED:
            shown = replace(shown, status=Status.INCONCLUSIVE)
        shown = replace(shown, method=f"{shown.method}, {trial.assumed}" if shown.method else trial.assumed)
    return finding.with_verdict(replace(shown, where=_user_words(shown.where)) if trial.role == "func" else shown)


def _extra(trials: Trials, findings: Sequence[Finding], options: ConfirmOptions) -> list[Finding]:
    """Findings that only numbers show: a func's own gradient, and with mode "all" any kernel."""
    made = []
    flagged = {(f.subject.path, f.subject.qualname) for f in findings if f.subject is not None}
    for trial in trials.found.values():
        if trial.outcome is None or trial.outcome.failed:
            continue
        definition = trial.definition
        companions = trials.extractor.companions(definition) if trial.role == "func" else []
        grads = [c for c in companions if trials.extractor.role(c) == "func_grad"]
        where = definition
        if grads:
            where = grads[0]
            if any(_inside(f, where) for f in findings):
                continue  # a rule has said it already
            sample = judge.disagrees(trial.outcome)
            message = f"`{where.name}` differs from the derivative of `{definition.name}`"
            note = Note(definition.location, f"`{definition.name}` is defined here")
        elif options.mode == "all" and trial.role == "kernel":
            if (definition.module.path, definition.qualname) in flagged or trials.customised(trial):
                continue
            sample = judge.wrong(trial.outcome)
            message = f"The gradient of `{definition.name}` differs from finite differences"
            note = None
        else:
            continue
        if sample is None:
            continue
        shown = Verdict(
            Status.CONFIRMED,
            "",
            f"central differences of the {trial.role} alone, {trial.outcome.precision} precision",
            sample["ad"],
            sample["fd"],
            _relative(sample),
            _user_words(sample["where"]),
        )
        rule = RULES.get("ADJ206")
        made.append(
            Finding(
                code="ADJ206",
                name=rule.name if rule is not None else "adjoint-disagrees",
                severity=Severity.ERROR,
                location=where.location,
                message=message,
                help="compare the adjoint with the derivative of the forward, term by term",
                notes=(note,) if note is not None else (),
                subject=Subject(trial.role, definition.qualname, definition.module.path, definition.location.line),
                context=where.module.lines[where.location.line - 1],
                verdict=shown,
            )
        )
    return made


def _inside(finding: Finding, definition: Definition) -> bool:
    """Whether a finding about custom gradients is within a function."""
    location, node = finding.location, definition.node
    last = node.end_lineno or node.lineno
    return (
        location.path == definition.module.path and finding.code[:4] == "ADJ2" and node.lineno <= location.line <= last
    )


def _relative(sample: judge.Sample) -> float:
    ad, fd = sample["ad"], sample["fd"]
    if ad is None or fd is None or not math.isfinite(ad):
        return math.inf
    size = max(abs(ad), abs(fd))
    return abs(ad - fd) / size if size > 0.0 else 0.0


def _user_words(where: str) -> str:
    """Names as the user wrote them: the arguments of a func alone have a prefix, and values an index
    of their own per thread."""
    if where.startswith("p_out["):
        return "the value returned"
    if where.startswith(VALUE_PREFIX):
        name, _, rest = where.removeprefix(VALUE_PREFIX).partition("[")
        return name + rest.partition("]")[2]
    return where.removeprefix(PREFIX)
