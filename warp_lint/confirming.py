"""`--confirm` as the front ends see it: which code is run, with which limits, and what came of it."""

from __future__ import annotations

import ast
import importlib.util
import sys
from collections.abc import Callable, Sequence, Set
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from warp_lint.codes import RULES
from warp_lint.engine import Displayer, Result, Unit, in_order, let_through, lint, project_of
from warp_lint.findings import Finding, Status, Verdict

if TYPE_CHECKING:
    from warp_lint.confirm.options import ConfirmOptions


@dataclass(frozen=True, slots=True)
class Plan:
    """What to run. `mode`: "findings", "kernels" (no program) or "all" (kernels without findings too).

    `files`: those named one by one; a single one is the program, unless `module` names it.
    `machine_output`: standard output belongs to the report, so that the program's goes elsewhere.
    """

    mode: str
    module: str | None = None
    files: tuple[Path, ...] = ()
    arguments: tuple[str, ...] = ()
    timeout: float | None = None
    backwards: float | None = None
    stop: bool = False
    machine_output: bool = False


@dataclass(slots=True)
class Confirmation:
    """Findings with verdicts, and what a run said beyond them. `ran` False: nothing could be run,
    for the `reason`."""

    findings: list[Finding]
    observations: tuple[str, ...] = ()
    ran: bool = False
    reason: str = ""
    program: dict[str, Any] | None = None  # the program's run, as plain data


def module_file(name: str) -> Path | None:
    """The file that `-m name` runs, below the working folder."""
    for base in (Path.cwd(), Path.cwd() / "src"):
        stem = base.joinpath(*name.split("."))
        for file in (stem / "__main__.py", stem.with_name(stem.name + ".py")):
            if file.is_file():
                return file
    return None


def program_of(result: Result, plan: Plan) -> list[str]:
    """Arguments of the Python program to run, or nothing. A file that only defines things is none."""
    if plan.mode == "kernels":
        return []
    if plan.module:
        return ["-m", plan.module, *plan.arguments]
    if len(plan.files) == 1 and (plan.arguments or runs_something(plan.files[0])):
        return [str(plan.files[0]), *plan.arguments]
    if len(plan.files) != 1:
        for unit in result.units:
            run = unit.config.confirm.get("run")
            if isinstance(run, Sequence) and run:
                return [*map(str, run), *plan.arguments]
    return []


def runs_something(file: Path) -> bool:
    """Does executing the file do more than define names?"""
    try:
        tree = ast.parse(file.read_bytes())
    except (OSError, SyntaxError, ValueError, RecursionError, MemoryError):
        return False
    quiet = (ast.Import, ast.ImportFrom, ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Assign, ast.AnnAssign)
    return any(not isinstance(node, quiet) and not _docstring(node) for node in tree.body)


def _docstring(node: ast.stmt) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)


def get_ready() -> None:
    """Let Warp be imported, in a subprocess, while the linter looks for what is to be run there."""
    if importlib.util.find_spec("warp") is not None:
        from warp_lint.confirm.options import ConfirmOptions
        from warp_lint.confirm.prewarm import start

        start(ConfirmOptions())


def confirm(result: Result, plan: Plan, tell: Callable[[str], None]) -> Confirmation:
    """Run what the plan says, in subprocesses, and judge the findings by it. `tell` is called with what
    is about to be executed, and with progress."""
    outcome = Confirmation(list(result.findings))
    if importlib.util.find_spec("warp") is None:
        outcome.reason = f"Warp is not installed for {sys.executable}; try `pip install warp-lint[confirm]`"
        outcome.findings = untested(outcome.findings, outcome.reason)
        return outcome
    program = program_of(result, plan)
    options = confirm_options(plan, result, tell, quiet_program=plan.machine_output)
    found: list[Finding] = []
    for unit in result.units:
        found += _kernels(unit, result, plan, options, outcome, tell)
    if program:
        found = _program(program, found, result, options, outcome, tell)
    elif not outcome.ran and found:
        outcome.reason = "no finding is about a kernel alone, and no program is named (one file, -m, or `run`)"
    elif not outcome.ran:
        outcome.ran = True  # nothing found, nothing to prove
    outcome.findings = in_order(untested(found, outcome.reason), Displayer(Path.cwd()).lines(result.units))
    return outcome


def _kernels(
    unit: Unit, result: Result, plan: Plan, options: ConfirmOptions, outcome: Confirmation, tell: Callable[[str], None]
) -> list[Finding]:
    """The unit's findings with verdicts on kernels, and what running the kernels showed beyond them."""
    from warp_lint.confirm.kernels import confirm_kernels

    display = Displayer(Path.cwd())
    paths = {display(file) for file in unit.texts}
    mine = [finding for finding in result.findings if _owner(finding, result, display) is unit]
    if not paths or not (plan.mode == "all" or any(map(_about_kernel, mine)) or _custom_gradients(unit)):
        return mine
    tell(f"--confirm executes kernels of {unit.config.root}, each alone")
    said: list[str] = []
    judged = confirm_kernels(mine, project_of(unit, display), replace(options, tell=said.append))
    outcome.observations = (*outcome.observations, *said)
    tested = any(finding.verdict and finding.verdict.status is not Status.UNTESTED for finding in judged)
    outcome.ran = outcome.ran or tested or not any(map(_about_kernel, mine))
    return _with_fresh(judged, mine, unit, result)


def _program(
    program: list[str],
    findings: list[Finding],
    result: Result,
    options: ConfirmOptions,
    outcome: Confirmation,
    tell: Callable[[str], None],
) -> list[Finding]:
    """The findings with verdicts from a run of the program, and what the run showed beyond them."""
    from warp_lint.confirm.program import confirm_program

    display = Displayer(Path.cwd())
    unit = result.units[0] if result.units else None
    tell(f"--confirm executes `{' '.join(program)}`")
    related = _related(result, findings, display)
    report = confirm_program(program, findings, project_of(unit, display) if unit else None, options, related)
    outcome.program = report.to_json()
    outcome.observations = (*outcome.observations, *report.observations)
    if report.ran:
        outcome.ran = True
    elif not outcome.ran:
        outcome.reason = report.reason
    return _with_fresh([_raised(finding) for finding in report.findings], findings, unit, result)


def _related(
    result: Result, findings: Sequence[Finding], display: Displayer
) -> Callable[[Set[Path]], Sequence[Finding]]:
    """What the analysis says of files that a run went through and that weren't named."""
    looked_at = {file for unit in result.units for file in unit.texts}

    def related(files: Set[Path]) -> list[Finding]:
        further = sorted(files - looked_at)
        if not further:
            return []
        request = replace(result.request, paths=[*result.request.paths, *further], cache=False)
        shown = {display(file) for file in further}
        return [f for f in lint(request).findings if f.location.path in shown]

    return related


def _raised(finding: Finding) -> Finding:
    """What a program proves is no longer a matter of what the analysis could see."""
    proven = finding.verdict is not None and finding.verdict.status is Status.CONFIRMED
    return finding.with_severity(max(finding.severity, RULES[finding.code].severity)) if proven else finding


def _with_fresh(
    judged: Sequence[Finding], before: Sequence[Finding], unit: Unit | None, result: Result
) -> list[Finding]:
    """The findings from before, judged, and those that only the run showed, if they are wanted."""
    known = {(finding.code, finding.location, finding.message) for finding in before}
    old = [finding for finding in judged if (finding.code, finding.location, finding.message) in known]
    fresh = [finding for finding in judged if (finding.code, finding.location, finding.message) not in known]
    if unit is None:
        return old + fresh
    return old + let_through(fresh, unit, result.request, result.configs, Displayer(Path.cwd()))


def _owner(finding: Finding, result: Result, display: Displayer) -> Unit | None:
    config = result.configs.for_file(display.file(finding.location.path))
    for unit in result.units:
        if unit.config.root == config.root:
            return unit
    return result.units[0] if result.units else None


def _about_kernel(finding: Finding) -> bool:
    return finding.subject is not None and finding.subject.kind in ("kernel", "func")


def _custom_gradients(unit: Unit) -> bool:
    """Adjoints written by hand are checked even where nothing is found (ADJ206)."""
    return any("func_grad" in text for text in unit.texts.values())


def untested(findings: Sequence[Finding], reason: str) -> list[Finding]:
    """Findings that have no verdict get the one that says so."""
    verdict = Verdict(Status.UNTESTED, reason)
    return [finding if finding.verdict else finding.with_verdict(verdict) for finding in findings]


def confirm_options(plan: Plan, result: Result, tell: Callable[[str], None], quiet_program: bool) -> ConfirmOptions:
    """The confirmers' options: the plan's, else the first configuration's, else their own defaults."""
    from warp_lint.confirm.options import ConfirmOptions

    table = result.units[0].config.confirm if result.units else {}
    timeout = plan.timeout or table.get("timeout")
    backwards = plan.backwards or table.get("backwards")
    memory = table.get("memory")
    wanted: dict[str, Any] = {
        "mode": "all" if plan.mode == "all" else "findings",
        "total_timeout": timeout,
        "backwards": int(backwards) if isinstance(backwards, (int, float)) else None,
        "stop": True if plan.stop or table.get("stop") else None,
        "memory": int(memory * (1 << 20)) if isinstance(memory, (int, float)) else None,
        "output": 2 if quiet_program else None,  # standard error
        "progress": _progress(tell),
        "python": sys.executable,
    }
    return ConfirmOptions(**{name: value for name, value in wanted.items() if value is not None})


def _progress(tell: Callable[[str], None]) -> Callable[[int, int, str], None] | None:
    """A line that rewrites itself, on a terminal only."""
    if not sys.stderr.isatty():
        return None

    def show(done: int, total: int, name: str) -> None:
        end = "" if done < total else "\r\033[K"
        print(f"\r\033[Kconfirming {done}/{total} {name[:60]}{end}", end="", file=sys.stderr, flush=True)

    return show
