"""`--confirm` as the front ends see it: which code is run, with which limits, and what came of it."""

from __future__ import annotations

import ast
import dataclasses
import importlib
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from warp_lint.findings import Finding, Status, Verdict

if TYPE_CHECKING:
    from warp_lint.config import Overrides
    from warp_lint.engine import Result


@dataclass(frozen=True, slots=True)
class Plan:
    """What to run. `mode`: "findings", "kernels" (no program) or "all" (kernels without findings too).

    `files`: those named one by one; a single one is the program, unless `module` names it.
    """

    mode: str
    module: str | None = None
    files: tuple[Path, ...] = ()
    arguments: tuple[str, ...] = ()
    timeout: float | None = None
    backwards: float | None = None
    stop: bool = False


@dataclass(slots=True)
class Confirmation:
    """Findings with verdicts, and what a run said beyond them. `ran` False: nothing could be run,
    for the `reason`."""

    findings: list[Finding]
    observations: tuple[str, ...] = ()
    ran: bool = False
    reason: str = ""
    messages: list[str] = field(default_factory=list)


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


def confirm(result: Result, plan: Plan, overrides: Overrides) -> Confirmation:
    """Run what the plan says, in subprocesses, and judge the findings by it."""
    outcome = Confirmation(list(result.findings))
    confirm_kernels = _part("warp_lint.confirm.kernels", "confirm_kernels")
    confirm_program = _part("warp_lint.confirm.program", "confirm_program")
    if confirm_kernels is None and confirm_program is None:
        outcome.reason = "this build has no confirmer"
        outcome.findings = untested(outcome.findings, outcome.reason)
        return outcome
    return outcome


def untested(findings: Sequence[Finding], reason: str) -> list[Finding]:
    """Findings that have no verdict get the one that says so."""
    verdict = Verdict(Status.UNTESTED, reason)
    return [finding if finding.verdict else finding.with_verdict(verdict) for finding in findings]


def confirm_options(plan: Plan, progress: Callable[[int, int, str], None] | None) -> Any:
    """The confirmers' options, as far as the plan sets them."""
    from warp_lint.confirm.options import ConfirmOptions

    wanted: dict[str, Any] = {
        "mode": "all" if plan.mode == "all" else "findings",
        "total_timeout": plan.timeout,
        "backwards": int(plan.backwards) if plan.backwards else None,
        "stop": plan.stop or None,
        "progress": progress,
        "python": sys.executable,
    }
    known = {option.name for option in dataclasses.fields(ConfirmOptions)}
    return ConfirmOptions(**{name: value for name, value in wanted.items() if value is not None and name in known})


def _part(module: str, name: str) -> Any:
    try:
        return getattr(importlib.import_module(module), name, None)
    except ModuleNotFoundError as error:
        if error.name != module:
            raise
        return None
