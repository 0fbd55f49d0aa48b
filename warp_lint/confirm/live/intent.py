"""What the program says that it wants: gradients stopped on purpose."""

from __future__ import annotations

import ast
import functools
from typing import TYPE_CHECKING, Any

from warp_lint.confirm.live.steps import Site, Step

if TYPE_CHECKING:
    from warp_lint.confirm.live.checks import Check


def intended(check: Check) -> set[tuple[Any, ...]]:
    """Repairs that would undo an intention: arrays allocated with a literal `requires_grad=False`."""
    result = _implicit(check)
    for region in check.shadow.inconsistent():
        if region.deltas - {None}:
            continue
        made = check.made(region)
        if made is not None and stopped(made):
            result.add(("gradient", region.index))
    return result


def stopped(site: Site) -> bool:
    """Whether the statement at a line holds a literal `requires_grad=False`."""
    tree = _tree(site.path)
    if tree is None:
        return False
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and node.lineno <= site.line <= (node.end_lineno or node.lineno):
            for keyword in node.keywords:
                if (
                    keyword.arg == "requires_grad"
                    and isinstance(keyword.value, ast.Constant)
                    and keyword.value.value is False
                ):
                    return True
    return False


def _implicit(check: Check) -> set[tuple[Any, ...]]:
    """A function recorded on the tape stands for how its arrays came about, by a solver say: that they were
    written off the tape is meant (implicit differentiation)."""
    window = check.window
    named = {window.region(t.low).index for s in window.entries if s.kind == "function" for t in s.touches}
    if not named:
        return set()
    result: set[tuple[Any, ...]] = {s.group for s in check.shadow.stale if window.region(s.touch.low).index in named}
    result |= {("clear", "external", index) for index in named}
    for step in window.timeline:
        if not isinstance(step, Step) or id(step) in window.taped:
            continue
        for touch in step.touches:
            index = window.region(touch.low).index
            if index in named:
                if touch.after is not None:
                    check.implicit.add(index)
                result.add(("clear", step.site, step.name, index))
                result.add(("unrecorded", step.site, step.name))
    return result


def responsible(path: tuple[Site, ...]) -> Site:
    """The innermost place of a call path that decides on `requires_grad` itself: helpers that hand on a
    parameter of theirs don't."""
    for position in range(len(path) - 1, 0, -1):
        if not _hands_on(path[position]):
            return path[position]
    return path[0]


def _hands_on(site: Site) -> bool:
    tree = _tree(site.path)
    inner: ast.FunctionDef | None = None
    for node in ast.walk(tree) if tree is not None else ():
        if isinstance(node, ast.FunctionDef) and node.lineno <= site.line <= (node.end_lineno or node.lineno):
            inner = node if inner is None or node.lineno > inner.lineno else inner
    if inner is None:
        return False
    a = inner.args
    parameters = {x.arg for x in (*a.posonlyargs, *a.args, *a.kwonlyargs)}
    for call in ast.walk(inner):
        if isinstance(call, ast.Call) and call.lineno <= site.line <= (call.end_lineno or call.lineno):
            for keyword in call.keywords:
                if not isinstance(keyword.value, ast.Name):
                    continue
                if keyword.arg == "requires_grad" and keyword.value.id in parameters:
                    return True
                if keyword.arg is None and a.kwarg is not None and keyword.value.id == a.kwarg.arg:
                    return True
    return False


@functools.cache
def _tree(path: str) -> ast.Module | None:
    try:
        with open(path, "rb") as stream:
            return ast.parse(stream.read())
    except (OSError, SyntaxError, ValueError, RecursionError):
        return None
