"""One project's analysis: parse, trace the host code, check kernels, check traces."""

from __future__ import annotations

import ast
import gc
import importlib
import os
import sys
import threading
import traceback
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from warp_lint.codes import RULES
from warp_lint.findings import Finding, LintError, Location, Severity
from warp_lint.settings import Settings

if TYPE_CHECKING:
    from warp_lint.kernels.activity import KernelActivity
    from warp_lint.syntax.module import Module
    from warp_lint.syntax.project import Project
    from warp_lint.trace.model import Trace

T = TypeVar("T")

_STACK = 512 << 20  # bytes of address space; only what is used becomes memory
_DEPTH = 40_000


@dataclass(slots=True)
class Outcome:
    """Findings, unsorted and unfiltered, and what could not be analysed."""

    findings: list[Finding] = field(default_factory=list)
    errors: list[LintError] = field(default_factory=list)


def analyse(
    project: Project, texts: Mapping[Path, str], trees: Mapping[Path, ast.Module], settings: Settings, jobs: int = 1
) -> Outcome:
    """All findings for the files given. An error inside one part is named and costs only that part."""
    return deep(lambda: _analyse(project, texts, trees, settings, jobs))


def deep(function: Callable[[], T]) -> T:
    """Run with room for deep recursion (long expressions are deep trees), and without the cyclic garbage
    collector, which costs four times what parsing itself does and finds nothing in trees that are kept."""
    box: list[T] = []
    failure: list[BaseException] = []

    def body() -> None:
        limit = sys.getrecursionlimit()
        sys.setrecursionlimit(max(limit, _DEPTH))
        try:
            box.append(function())
        except BaseException as error:
            failure.append(error)
        finally:
            sys.setrecursionlimit(limit)

    collecting = gc.isenabled()
    gc.disable()
    old = threading.stack_size(_STACK)
    try:
        thread = threading.Thread(target=body, daemon=True)
        thread.start()
        threading.stack_size(old)
        thread.join()
    finally:
        if collecting:
            gc.enable()
    if failure:
        raise failure[0]
    return box[0]


def _analyse(
    project: Project, texts: Mapping[Path, str], trees: Mapping[Path, ast.Module], settings: Settings, jobs: int
) -> Outcome:
    outcome = Outcome()
    modules: list[Module] = []
    for file in sorted(texts):
        try:
            module = project.add(file, texts[file], trees.get(file))
        except Exception as error:
            outcome.errors.append(internal_error(project.display(file), error))
            continue
        if module is not None:
            modules.append(module)
    outcome.errors += project.errors
    if not settings.differentiates:
        return outcome
    traces = _traces(project, modules, settings, outcome)
    activities = _activities(traces, settings, outcome)
    for module in modules:
        outcome.findings += _kernels(project, module, settings, activities, outcome)
    outcome.findings += _tapes(traces, settings, outcome)
    outcome.findings += incomplete(traces)
    return outcome


def _traces(project: Project, modules: Sequence[Module], settings: Settings, outcome: Outcome) -> list[Trace]:
    trace_project = _part("warp_lint.host", "trace_project")
    if trace_project is None:
        return []
    try:
        return list(trace_project(project, modules, settings))
    except Exception as error:
        if len(modules) == 1:
            outcome.errors.append(internal_error(modules[0].path, error))
            return []
    traces = []
    for module in modules:  # once more file by file, to find the one at fault
        traces += _traces(project, [module], settings, outcome)
    return traces


def _activities(traces: Sequence[Trace], settings: Settings, outcome: Outcome) -> Mapping[Location, KernelActivity]:
    launch_contexts = _part("warp_lint.trace.activity", "launch_contexts")
    if launch_contexts is None:
        return {}
    try:
        found: Mapping[Location, KernelActivity] = launch_contexts(traces, settings)
    except Exception as error:
        outcome.errors.append(internal_error(_entry(traces), error))
        return {}
    return found


def _kernels(
    project: Project,
    module: Module,
    settings: Settings,
    activities: Mapping[Location, KernelActivity],
    outcome: Outcome,
) -> list[Finding]:
    check_module = _part("warp_lint.kernels.check", "check_module")
    if check_module is None:
        return []
    try:
        return list(check_module(project, module, settings, activities))
    except Exception as error:
        outcome.errors.append(internal_error(module.path, error))
        return []


def _tapes(traces: Sequence[Trace], settings: Settings, outcome: Outcome) -> list[Finding]:
    check_traces = _part("warp_lint.rules.tape", "check_traces")
    if check_traces is None:
        return []
    try:
        return list(check_traces(traces, settings))
    except Exception as error:
        outcome.errors.append(internal_error(_entry(traces), error))
        return []


def incomplete(traces: Sequence[Trace]) -> list[Finding]:
    """ADJ903 for what the host interpreter did not follow."""
    rule = RULES["ADJ903"]
    places = {(location, reason) for trace in traces for location, reason in trace.incomplete}
    return [
        Finding(rule.code, rule.name, Severity.INFO, location, f"not followed further: {reason}")
        for location, reason in sorted(places)
    ]


def _entry(traces: Sequence[Trace]) -> str:
    return traces[0].entry.path if traces else "."


def internal_error(path: str, error: BaseException) -> LintError:
    """What a user sees of a defect in this program; `WARP_LINT_DEBUG=1` adds the traceback."""
    if os.environ.get("WARP_LINT_DEBUG"):
        traceback.print_exception(error)
    text = " ".join(str(error).split())[:200]
    kind = type(error).__name__
    message = f"internal error: {kind}{': ' + text if text else ''} (WARP_LINT_DEBUG=1 shows where; please report it)"
    return LintError(path, 1, 1, message)


def _part(module: str, name: str) -> Any:
    """A part of the analysis, imported when it is needed."""
    try:
        return getattr(importlib.import_module(module), name, None)
    except ModuleNotFoundError as error:
        if error.name != module:
            raise
        return None
