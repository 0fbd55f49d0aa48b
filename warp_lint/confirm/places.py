"""Places in source files: paths as findings show them, statements, functions and the names they use."""

from __future__ import annotations

import ast
import functools
import os

from warp_lint.findings import Location


@functools.cache
def shown(path: str) -> str:
    """A path as findings show it: relative to the working folder where it is below it."""
    full = os.path.realpath(path)
    here = os.path.realpath(os.getcwd()) + os.sep
    return full[len(here) :].replace(os.sep, "/") if full.startswith(here) else full


@functools.cache
def _tree(path: str) -> ast.Module | None:
    try:
        with open(path, "rb") as stream:
            return ast.parse(stream.read())
    except (OSError, SyntaxError, ValueError, RecursionError):
        return None


@functools.cache
def _source(path: str) -> list[str]:
    try:
        with open(path, encoding="utf-8", errors="replace") as stream:
            return stream.read().splitlines()
    except OSError:
        return []


@functools.cache
def _statements(path: str) -> list[tuple[int, int, ast.stmt]]:
    """Every statement of a file with its first and last line."""
    tree = _tree(path)
    nodes = ast.walk(tree) if tree is not None else ()
    return [(_first(node), node.end_lineno or node.lineno, node) for node in nodes if isinstance(node, ast.stmt)]


@functools.cache  # a trace asks for the same few places thousands of times
def statement(path: str, line: int) -> Location:
    """The smallest statement that covers a line; a definition's name if the line is its head."""
    best: ast.stmt | None = None
    span = (0, 0)
    for first, last, node in _statements(path):
        if first <= line <= last and (best is None or (first, -last) >= span):
            best, span = node, (first, -last)
    if best is None:
        return Location(path, max(line, 1), 1, max(line, 1), 2)
    if isinstance(best, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        text = _source(path)[best.lineno - 1] if best.lineno <= len(_source(path)) else ""
        column = text.find(best.name) + 1 or 1
        return Location(path, best.lineno, column, best.lineno, column + len(best.name))
    if isinstance(best, ast.With | ast.For | ast.While | ast.If | ast.Try):
        text = _source(path)[line - 1] if line <= len(_source(path)) else ""
        column = len(text) - len(text.lstrip()) + 1
        return Location(path, line, column, line, max(len(text.rstrip()), column) + 1)
    return Location(
        path, best.lineno, best.col_offset + 1, best.end_lineno or best.lineno, (best.end_col_offset or 0) + 1
    )


def _first(node: ast.stmt) -> int:
    decorators: list[ast.expr] = getattr(node, "decorator_list", [])
    return min([node.lineno, *(d.lineno for d in decorators)])


def function_at(path: str, line: int) -> ast.FunctionDef | None:
    best: ast.FunctionDef | None = None
    for first, last, node in _statements(path):
        inside = isinstance(node, ast.FunctionDef) and first <= line <= last
        if inside and (best is None or node.lineno > best.lineno):
            assert isinstance(node, ast.FunctionDef)
            best = node
    return best


def definition_span(path: str, line: int) -> tuple[int, int] | None:
    node = function_at(path, line)
    return (_first(node), node.end_lineno or node.lineno) if node is not None else None


def name_at(path: str, line: int) -> str:
    """The function at a line; for a hand-written adjoint or replay, the function that it belongs to."""
    node = function_at(path, line)
    if node is None:
        return ""
    for decorator in node.decorator_list:
        if isinstance(decorator, ast.Call) and decorator.args and isinstance(decorator.args[0], ast.Name):
            called = decorator.func
            name = called.attr if isinstance(called, ast.Attribute) else getattr(called, "id", "")
            if name in ("func_grad", "func_replay"):
                return decorator.args[0].id
    return node.name


def names_used(path: str, line: int) -> set[str]:
    """Names a function uses, and those that functions of its file use that it names, and so on."""
    node = function_at(path, line)
    tree = _tree(path)
    if node is None or tree is None:
        return set()
    functions = {n.name: n for n in ast.walk(tree) if isinstance(n, ast.FunctionDef)}
    seen: set[str] = set()
    queue: list[ast.FunctionDef] = [node]
    while queue:
        for inner in ast.walk(queue.pop()):
            name = inner.id if isinstance(inner, ast.Name) else inner.attr if isinstance(inner, ast.Attribute) else ""
            if name and name not in seen:
                seen.add(name)
                if name in functions:
                    queue.append(functions[name])
    return seen
