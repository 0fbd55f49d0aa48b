"""Arguments for an entry from calls of it elsewhere in its file: `test_tile(kernel_2d, 2)` tells more than unknowns."""

from __future__ import annotations

import ast
from typing import Any

from warp_lint.host import externals, imports
from warp_lint.host.machine import Machine
from warp_lint.host.values import MISSING, ModuleValue
from warp_lint.syntax.module import Module

_PLAIN = (
    ast.Constant,
    ast.Name,
    ast.Attribute,
    ast.Tuple,
    ast.List,
    ast.UnaryOp,
    ast.USub,
    ast.Load,
)


class CallSites:
    """Calls by name, per module, found when first asked for."""

    def __init__(self, m: Machine) -> None:
        self.m = m
        self._calls: dict[Module, dict[str, list[ast.Call]]] = {}

    def arguments(self, value: ModuleValue, name: str, params: list[str]) -> dict[str, Any]:
        """Values for parameters, from the call that gives most of them in terms of the module's own names."""
        best: dict[str, Any] = {}
        for call in self._find(value.module, name)[:50]:
            found: dict[str, Any] = {}
            given = [(p, a) for p, a in zip(params, call.args, strict=False)]
            given += [(k.arg, k.value) for k in call.keywords if k.arg in params and k.arg is not None]
            for param, expression in given:
                result = self._evaluate(value, expression)
                if result is not MISSING:
                    found[param] = result
            if len(found) > len(best):
                best = found
            if len(best) == len(params):
                break
        return best

    def _find(self, module: Module, name: str) -> list[ast.Call]:
        if module.mentions(name, 2) < 2:  # its definition is one
            return []
        index = self._calls.get(module)
        if index is None:
            index = self._calls[module] = {}
            for node in ast.walk(module.tree):
                if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
                    index.setdefault(node.func.id, []).append(node)
        return index.get(name, [])

    def _evaluate(self, value: ModuleValue, expression: ast.expr) -> Any:
        for node in ast.walk(expression):
            if not isinstance(node, _PLAIN):
                return MISSING
            if isinstance(node, ast.Name) and node.id not in value.namespace and externals.builtin(node.id) is MISSING:
                return MISSING
        from warp_lint.host.lower import Lowerer

        return Lowerer(self.m, value.module).expression(expression)(imports.module_frame(self.m, value))
