"""What the text of a recorded launch's kernel tells: places in it, and how it uses its parameters."""

from __future__ import annotations

import ast
import functools
import textwrap
from typing import Any

from warp_lint.confirm.live.steps import Step

Path = tuple[str, ...]  # of a parameter, or a member of one: their names


def source_tree(code: Any) -> ast.FunctionDef | None:
    """The definition of a kernel or func, from its text; None if that can't be had."""
    return _parsed(getattr(getattr(code, "adj", None), "source", None) or "")


@functools.cache
def _parsed(source: str) -> ast.FunctionDef | None:
    try:
        tree = ast.parse(textwrap.dedent(source))
    except SyntaxError:
        return None
    return next((node for node in tree.body if isinstance(node, ast.FunctionDef)), None)


def chain(node: ast.expr) -> Path:
    """`s.inner.x` as ("s", "inner", "x"); empty if it is no chain of names."""
    parts: list[str] = []
    while isinstance(node, ast.Attribute):
        parts.append(node.attr)
        node = node.value
    return (node.id, *reversed(parts)) if isinstance(node, ast.Name) else ()


def kernel_site(step: Step) -> tuple[str, int]:
    """File and first line of the kernel's definition; the launch's own place without a kernel."""
    adj = getattr(step.kernel, "adj", None)
    if adj is None:
        return (step.site.path, step.site.line)
    return (str(getattr(adj, "filename", "")), int(getattr(adj, "fun_lineno", 0) or 0))


def shift_of(function: ast.FunctionDef, start: int) -> int:
    """What to add to a line of the kernel's text for the line in its file."""
    return start - min([function.lineno, *(d.lineno for d in function.decorator_list)])


def read_site(step: Step, parameter: Path) -> tuple[str, int]:
    """Where a kernel first reads an array parameter (with its member's names, in a struct), or first hands it on;
    the kernel's definition where that can't be told."""
    path, start = kernel_site(step)
    function = source_tree(step.kernel)
    if function is None:
        return (path, start)
    whole = [node for statement in function.body for node in ast.walk(statement)]
    inside = {id(node.value) for node in whole if isinstance(node, ast.Subscript | ast.Attribute)}
    reads, uses = [], []
    for node in whole:
        if isinstance(node, ast.Subscript) and chain(node.value) == parameter:
            if isinstance(node.ctx, ast.Load):
                reads.append(node.lineno)
        elif isinstance(node, ast.AugAssign) and chain(_whole(node.target)) == parameter:
            reads.append(node.lineno)
        elif isinstance(node, ast.Name | ast.Attribute) and id(node) not in inside and isinstance(node.ctx, ast.Load):
            path_of = chain(node)
            if path_of and parameter[: len(path_of)] == path_of:
                uses.append(node.lineno)
    found = min(reads or uses, default=0)
    return (path, found + shift_of(function, start)) if found else (path, start)


def _whole(node: ast.expr) -> ast.expr:
    """The array that a target is an element, or a component of an element, of."""
    while isinstance(node, ast.Subscript):
        node = node.value
    return node


_first: dict[int, tuple[Any, frozenset[Path]]] = {}  # with the kernel, so that its identity stays its own


def stored_first(kernel: Any) -> frozenset[Path]:
    """Array parameters whose first access in program order is a plain store."""
    known = _first.get(id(kernel))
    if known is None:
        function = source_tree(kernel)
        found = frozenset(_stored_first(function)) if function is not None else frozenset()
        known = _first[id(kernel)] = kernel, found
    return known[1]


def _stored_first(function: ast.FunctionDef) -> set[Path]:
    order: dict[Path, str] = {}

    def read(node: ast.AST) -> None:
        for inner in ast.walk(node):
            if isinstance(inner, ast.Attribute | ast.Name):
                path = chain(inner)
                if path:
                    order.setdefault(path, "read")

    def target(node: ast.expr) -> None:
        if isinstance(node, ast.Subscript):
            base: ast.expr = node.value
            read(node.slice)
            while isinstance(base, ast.Subscript):
                read(base.slice)
                base = base.value
            path = chain(base)
            if path:
                order.setdefault(path, "store")
        elif isinstance(node, ast.Tuple | ast.List):
            for item in node.elts:
                target(item)
        elif isinstance(node, ast.Attribute):
            read(node.value)

    def visit(body: list[ast.stmt]) -> None:
        for statement in body:
            if isinstance(statement, ast.Assign):
                read(statement.value)
                for item in statement.targets:
                    target(item)
            elif isinstance(statement, ast.AugAssign):
                read(statement.value)
                read(statement.target)
            elif isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Call):
                call = statement.value
                name = call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")
                if name in ("store", "tile_store") and call.args:
                    for argument in call.args[1:]:
                        read(argument)
                    target(ast.Subscript(call.args[0], ast.Constant(0)))
                else:
                    read(call)
            elif isinstance(statement, ast.For):
                read(statement.iter)
                visit(statement.body)
            elif isinstance(statement, ast.If | ast.While):
                read(statement.test)
                visit(statement.body)
                visit(statement.orelse)
            else:
                read(statement)

    visit(function.body)
    return {path for path, kind in order.items() if kind == "store"}
