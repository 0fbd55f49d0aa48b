"""Places in the text of a recorded launch's kernel."""

from __future__ import annotations

import ast

from warp_lint.confirm.live.steps import Step
from warp_lint.confirm.live.window import _tree


def kernel_site(step: Step) -> tuple[str, int]:
    """File and first line of the kernel's definition; the launch's own place without a kernel."""
    adj = getattr(step.kernel, "adj", None)
    if adj is None:
        return (step.site.path, step.site.line)
    return (str(getattr(adj, "filename", "")), int(getattr(adj, "fun_lineno", 0) or 0))


def shift_of(function: ast.FunctionDef, start: int) -> int:
    """What to add to a line of the kernel's text for the line in its file."""
    return start - min([function.lineno, *(d.lineno for d in function.decorator_list)])


def read_site(step: Step, parameter: tuple[str, ...]) -> tuple[str, int]:
    """Where a kernel first reads an array parameter (with its member's names, in a struct), or first hands it on;
    the kernel's definition where that can't be told."""
    path, start = kernel_site(step)
    function = _tree(getattr(getattr(step.kernel, "adj", None), "source", "") or "")
    if function is None:
        return (path, start)
    whole = [node for statement in function.body for node in ast.walk(statement)]
    inside = {id(node.value) for node in whole if isinstance(node, ast.Subscript | ast.Attribute)}
    reads, uses = [], []
    for node in whole:
        if isinstance(node, ast.Subscript) and _chain(node.value) == parameter:
            if isinstance(node.ctx, ast.Load):
                reads.append(node.lineno)
        elif isinstance(node, ast.AugAssign) and _chain(_whole(node.target)) == parameter:
            reads.append(node.lineno)
        elif isinstance(node, ast.Name | ast.Attribute) and id(node) not in inside and isinstance(node.ctx, ast.Load):
            chain = _chain(node)
            if chain and parameter[: len(chain)] == chain:
                uses.append(node.lineno)
    found = min(reads or uses, default=0)
    return (path, found + shift_of(function, start)) if found else (path, start)


def _whole(node: ast.expr) -> ast.expr:
    """The array that a target is an element, or a component of an element, of."""
    while isinstance(node, ast.Subscript):
        node = node.value
    return node


def _chain(node: ast.expr) -> tuple[str, ...]:
    parts: list[str] = []
    while isinstance(node, ast.Attribute):
        parts.append(node.attr)
        node = node.value
    return (node.id, *reversed(parts)) if isinstance(node, ast.Name) else ()
