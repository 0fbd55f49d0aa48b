"""Which inputs of an element-wise function its adjoint reads again: `wp.map(func, …)` of a func, lambda or builtin."""

from __future__ import annotations

import ast

from warp_lint.host.values import FunctionValue
from warp_lint.kernels.builtins import RESULT, Gradient, lookup
from warp_lint.syntax.module import Module
from warp_lint.syntax.project import External, Project

# (input, inputs whose gradient reads it), by position.
Needs = list[tuple[int, frozenset[int]]]

_OPERATORS = {ast.Mult: "mul", ast.Div: "div", ast.Mod: "mod", ast.Pow: "pow"}


class _UnknownError(Exception):
    """The function holds more than this follows."""


def needs_of(project: Project, function: object) -> Needs | None:
    """None if the function isn't understood: then every input may be needed."""
    try:
        if isinstance(function, External):
            return _builtin(function)
        if isinstance(function, FunctionValue):
            return _own(project, function)
    except _UnknownError:
        pass
    return None


def _builtin(function: External) -> Needs:
    entry = lookup(function.name.removeprefix("warp."))
    if entry is None or not function.name.startswith("warp."):
        raise _UnknownError
    every = frozenset(range(len(entry.operands)))
    found: dict[int, set[int]] = {}
    for position, operand in enumerate(entry.operands):
        if operand.gradient is Gradient.EXACT:
            for read in every if RESULT in operand.reads else operand.reads:
                found.setdefault(read, set()).add(position)
    return [(read, frozenset(partners)) for read, partners in sorted(found.items())]


def _own(project: Project, function: FunctionValue) -> Needs:
    node = function.node
    if isinstance(node, ast.Lambda):
        body: ast.expr = node.body
    elif isinstance(node, ast.FunctionDef):
        statements = [s for s in node.body if not (isinstance(s, ast.Expr) and isinstance(s.value, ast.Constant))]
        if len(statements) != 1 or not isinstance(statements[0], ast.Return) or statements[0].value is None:
            raise _UnknownError
        body = statements[0].value
    else:
        raise _UnknownError
    parameters = {argument.arg: k for k, argument in enumerate(node.args.args)}
    expression = _Expression(project, function.module, parameters)
    expression.inputs(body)
    return [(read, frozenset(partners)) for read, partners in sorted(expression.needs.items())]


class _Expression:
    """`inputs` of an expression are the parameters it depends on; `needs` grows on the way."""

    def __init__(self, project: Project, module: Module, parameters: dict[str, int]) -> None:
        self.project = project
        self.module = module
        self.parameters = parameters
        self.needs: dict[int, set[int]] = {}

    def inputs(self, node: ast.expr) -> frozenset[int]:
        if isinstance(node, ast.Name):
            known = self.parameters.get(node.id)
            return frozenset() if known is None else frozenset([known])
        if isinstance(node, ast.Constant):
            return frozenset()
        if isinstance(node, ast.Attribute):
            return self.inputs(node.value)
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub | ast.UAdd):
            return self.inputs(node.operand)
        if isinstance(node, ast.BinOp):
            operands = [self.inputs(node.left), self.inputs(node.right)]
            if isinstance(node.op, ast.Add | ast.Sub):
                return operands[0] | operands[1]
            name = _OPERATORS.get(type(node.op))
            if name is None:
                raise _UnknownError
            return self._applied(name, operands)
        if isinstance(node, ast.Call) and not node.keywords:
            target = self.project.resolve(self.module, self.module.scope, node.func)
            if isinstance(target, External) and target.name.startswith("warp."):
                return self._applied(target.name.removeprefix("warp."), [self.inputs(a) for a in node.args])
        raise _UnknownError

    def _applied(self, name: str, operands: list[frozenset[int]]) -> frozenset[int]:
        entry = lookup(name)
        every: frozenset[int] = frozenset().union(*operands)
        if not every:
            return every
        if entry is None or len(entry.operands) < len(operands):
            raise _UnknownError
        for position, active in enumerate(operands):
            formal = entry.operands[position]
            if not active or formal.gradient is not Gradient.EXACT:
                continue
            for read in formal.reads:
                for needed in every if read == RESULT else operands[read] if read < len(operands) else ():
                    self.needs.setdefault(needed, set()).update(active)
        return every
