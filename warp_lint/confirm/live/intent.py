"""What the program says that it wants: gradients stopped on purpose."""

from __future__ import annotations

import ast
import functools
from typing import TYPE_CHECKING, Any

from warp_lint.confirm.live.steps import Site

if TYPE_CHECKING:
    from warp_lint.confirm.live.checks import Check


def intended(check: Check) -> set[tuple[Any, ...]]:
    """Repairs that would undo an intention: arrays allocated with a literal `requires_grad=False`."""
    result: set[tuple[Any, ...]] = set()
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


@functools.cache
def _tree(path: str) -> ast.Module | None:
    try:
        with open(path, "rb") as stream:
            return ast.parse(stream.read())
    except (OSError, SyntaxError, ValueError, RecursionError):
        return None
