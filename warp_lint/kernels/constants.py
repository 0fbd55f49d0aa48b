"""Values of Python expressions that a kernel captures: module constants, `wp.constant`, `wp.static`."""

from __future__ import annotations

import ast
import math
import operator
from collections.abc import Callable, Mapping
from typing import Any

from warp_lint.syntax.module import Module, Scope
from warp_lint.syntax.project import External, Project, Value

_BINARY: dict[type[ast.operator], Callable[[Any, Any], Any]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv,
    ast.Mod: operator.mod,
    ast.BitOr: operator.or_,
    ast.BitAnd: operator.and_,
    ast.LShift: operator.lshift,
    ast.RShift: operator.rshift,
}
_KNOWN = {
    "pi": math.pi,
    "PI": math.pi,
    "tau": math.tau,
    "TAU": math.tau,
    "e": math.e,
    "E": math.e,
    "inf": math.inf,
    "INF": math.inf,
    "nan": math.nan,
    "HALF_PI": math.pi / 2,
    "half_pi": math.pi / 2,
}
_NUMBERS = frozenset(("float", "int", "bool", "constant", "static"))
_MAX_BITS = 64


def evaluate(
    project: Project,
    module: Module,
    scope: Scope,
    node: ast.expr,
    known: Mapping[str, Any] | None = None,
    depth: int = 0,
) -> Any:
    """Python number, string or tuple an expression is surely equal to, or None. Nothing is executed."""
    if depth > 16:
        return None
    if isinstance(node, ast.Constant):
        return node.value
    if isinstance(node, (ast.Name, ast.Attribute)):
        if isinstance(node, ast.Name) and known is not None and node.id in known:
            return known[node.id]
        found = project.resolve(module, scope, node)
        if isinstance(found, Value):
            if found.expression is node:
                return None
            value = evaluate(project, found.module, found.scope, found.expression, None, depth + 1)
            for index in found.unpack:
                if not isinstance(value, tuple) or not -len(value) <= index < len(value):
                    return None
                value = value[index]
            return value
        if isinstance(found, External):
            return _external(found.name)
        return None
    if isinstance(node, ast.UnaryOp):
        inner = evaluate(project, module, scope, node.operand, known, depth + 1)
        if isinstance(node.op, ast.USub) and isinstance(inner, (int, float)):
            return -inner
        if isinstance(node.op, ast.Not) and inner is not None:
            return not inner
        return inner if isinstance(node.op, ast.UAdd) else None
    if isinstance(node, ast.BinOp):
        left = evaluate(project, module, scope, node.left, known, depth + 1)
        right = evaluate(project, module, scope, node.right, known, depth + 1)
        return _binary(node.op, left, right)
    if isinstance(node, ast.Tuple):
        return tuple(evaluate(project, module, scope, element, known, depth + 1) for element in node.elts)
    if isinstance(node, ast.Call):
        return _call(project, module, scope, node, known, depth)
    return None


def _external(name: str) -> Any:
    head, _, last = name.rpartition(".")
    if head in ("warp", "math", "numpy", "warp.constants", "warp._src.constants"):
        return _KNOWN.get(last)
    return None


def _binary(op: ast.operator, left: Any, right: Any) -> Any:
    if isinstance(op, ast.Pow) and isinstance(left, (int, float)) and isinstance(right, int) and 0 <= right < _MAX_BITS:
        return left**right if abs(left) < 1 << _MAX_BITS else None
    function = _BINARY.get(type(op))
    if function is None or not isinstance(left, (int, float)) or not isinstance(right, (int, float)):
        return None
    if isinstance(op, (ast.LShift, ast.RShift)) and not 0 <= right < _MAX_BITS:
        return None
    try:
        return function(left, right)
    except (ArithmeticError, TypeError, ValueError):
        return None


def _call(
    project: Project, module: Module, scope: Scope, node: ast.Call, known: Mapping[str, Any] | None, depth: int
) -> Any:
    found = project.resolve(module, scope, node.func)
    if not isinstance(found, External) or len(node.args) != 1:
        return None
    head, _, name = found.name.rpartition(".")
    if head not in ("warp", "builtins", "numpy"):
        return None
    inner = evaluate(project, module, scope, node.args[0], known, depth + 1)
    if name in ("constant", "static"):
        return inner
    if name == "len" and isinstance(inner, (tuple, str)):
        return len(inner)
    if inner is None or isinstance(inner, (str, tuple)):
        return None
    try:
        if name == "int" or name.startswith(("int", "uint")):
            return int(inner)
        if name.startswith("float"):
            return float(inner)
        if name == "bool":
            return bool(inner)
    except (OverflowError, ValueError):
        return None
    return None
