"""One project's analysis: parse, trace the host code, check kernels, check traces."""

from __future__ import annotations

import ast
import gc
import os
import sys
import threading
import traceback
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from warp_lint.codes import RULES
from warp_lint.findings import Finding, LintError, Location, Severity
from warp_lint.parallel import Aside, can_fork
from warp_lint.settings import Settings

if TYPE_CHECKING:
    from warp_lint.kernels.activity import KernelActivity
    from warp_lint.syntax.module import Module
    from warp_lint.syntax.project import Project
    from warp_lint.trace.model import Trace

T = TypeVar("T")

_STACK = 512 << 20  # bytes of address space; only what is used becomes memory
_DEPTH = 40_000
_SHARE = 500_000  # characters of source that are worth a process: about half a second of work


@dataclass(slots=True)
class Outcome:
    """Findings, unsorted and unfiltered, and what could not be analysed."""

    findings: list[Finding] = field(default_factory=list)
    errors: list[LintError] = field(default_factory=list)


def analyse(
    project: Project,
    texts: Mapping[Path, str],
    trees: Mapping[Path, ast.Module],
    settings: Settings,
    differentiated: frozenset[Path],
    jobs: int = 1,
) -> Outcome:
    """All findings for the files given; kernels are checked in the differentiated ones. An error inside one
    part is named and costs only that part."""
    return deep(lambda: _analyse(project, texts, trees, settings, differentiated, jobs))


def deep(function: Callable[[], T]) -> T:
    """Run with room for deep recursion (long expressions are deep trees). The cyclic garbage collector
    stays off until `keep`: it would cost four times what parsing does, and find nothing in trees."""
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

    collecting, thresholds = gc.isenabled(), gc.get_threshold()
    gc.disable()
    old = threading.stack_size(_STACK)
    try:
        thread = threading.Thread(target=body, daemon=True)
        thread.start()
        threading.stack_size(old)
        thread.join()
    finally:
        gc.unfreeze()
        gc.set_threshold(*thresholds)
        if collecting:
            gc.enable()
        else:
            gc.disable()
    if failure:
        raise failure[0]
    return box[0]


def keep() -> None:
    """What exists now stays: the collector may run again, over what comes after."""
    gc.freeze()
    gc.set_threshold(20_000, 20, 50)
    gc.enable()


def _analyse(
    project: Project,
    texts: Mapping[Path, str],
    trees: Mapping[Path, ast.Module],
    settings: Settings,
    differentiated: frozenset[Path],
    jobs: int,
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
    keep()
    activities = _tapes(project, modules, settings, outcome)
    checked = [module for module in modules if module.file in differentiated]
    for part in _in_parts(lambda share: _kernels(project, share, settings, activities), checked, jobs):
        outcome.findings += part.findings
        outcome.errors += part.errors
    return outcome


def _in_parts(function: Callable[[Sequence[Module]], Outcome], modules: Sequence[Module], jobs: int) -> list[Outcome]:
    """Outcomes of shares of the modules, in processes of their own where there is enough work for that."""
    size = sum(len(module.source) for module in modules)
    count = min(jobs, size // _SHARE, len(modules)) if can_fork() else 1
    if count < 2:
        return [function(modules)]
    largest_first = sorted(modules, key=lambda module: -len(module.source))
    shares = [largest_first[first::count] for first in range(count)]
    aside = [Aside(partial(function, share)) for share in shares[1:]]
    return [function(shares[0]), *(other.result() for other in aside)]


def _tapes(
    project: Project, modules: Sequence[Module], settings: Settings, outcome: Outcome
) -> Mapping[Location, KernelActivity]:
    """Adds what the host code's traces show, and returns what they say of kernels' launches."""
    judged = _Judged(settings)
    try:
        judged.follow(project, modules)
    except Exception:
        judged = _Judged(settings)
        for module in modules:  # once more file by file, to find the one at fault
            try:
                judged.follow(project, [module])
            except Exception as error:
                judged.errors.append(internal_error(module.path, error))
    outcome.errors += judged.errors
    outcome.findings += judged.judge.findings() + incomplete(judged.places)
    return judged.judge.activities()


class _Judged:
    """What the traces of a project show. Each is judged as soon as it is there, and dropped."""

    def __init__(self, settings: Settings) -> None:
        from warp_lint.rules.tape import Judge

        self.settings = settings
        self.judge = Judge(settings)
        self.places: set[tuple[Location, str]] = set()
        self.errors: list[LintError] = []

    def follow(self, project: Project, modules: Sequence[Module]) -> None:
        from warp_lint.host import follow_project

        follow_project(project, modules, self.settings, self._take)

    def _take(self, trace: Trace) -> None:
        self.places.update(trace.incomplete)
        try:
            self.judge.add(trace)
        except Exception as error:
            self.errors.append(internal_error(trace.entry.path, error))


def _kernels(
    project: Project,
    modules: Sequence[Module],
    settings: Settings,
    activities: Mapping[Location, KernelActivity],
) -> Outcome:
    from warp_lint.kernels.check import check_module

    outcome = Outcome()
    for module in modules:
        try:
            outcome.findings += check_module(project, module, settings, activities)
        except Exception as error:
            outcome.errors.append(internal_error(module.path, error))
    return outcome


def incomplete(places: Iterable[tuple[Location, str]]) -> list[Finding]:
    """ADJ903 for what the host interpreter did not follow, once per place."""
    rule = RULES["ADJ903"]
    first = dict(sorted(places, reverse=True))
    return [
        Finding(rule.code, rule.name, Severity.INFO, location, f"not followed further: {reason}")
        for location, reason in sorted(first.items())
    ]


def internal_error(path: str, error: BaseException) -> LintError:
    """What a user sees of a defect in this program; `WARP_LINT_DEBUG=1` adds the traceback."""
    if os.environ.get("WARP_LINT_DEBUG"):
        traceback.print_exception(error)
    text = " ".join(str(error).split())[:200]
    kind = type(error).__name__
    message = f"internal error: {kind}{': ' + text if text else ''} (WARP_LINT_DEBUG=1 shows where; please report it)"
    return LintError(path, 1, 1, message)
