"""Attributes that no method of a class sets, only code elsewhere: `solver.scratch = wp.zeros(...)`."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Any

from warp_lint.host import externals
from warp_lint.host.machine import Frame, Machine
from warp_lint.host.values import MISSING, ArrayValue, Instance, ModuleValue, Unknown
from warp_lint.syntax.module import Module

MAX_PLACES = 8
_PLAIN = (
    ast.Constant,
    ast.Name,
    ast.Attribute,
    ast.Tuple,
    ast.List,
    ast.Call,
    ast.keyword,
    ast.UnaryOp,
    ast.unaryop,
    ast.BinOp,
    ast.operator,
    ast.expr_context,
)


def written_from_outside(m: Machine, instance: Instance, name: str) -> Any:
    """The value of an attribute that the instance lacks, from assignments elsewhere in the user's code whose right
    side can be evaluated there; MISSING if there is none, or if they disagree. It belongs to the instance then."""
    if name.startswith("__"):
        return MISSING
    found: Any = MISSING
    for module, node in _assignments(m, name):
        value = _evaluate(m, module, node)
        if value is MISSING or isinstance(value, Unknown):
            continue
        if found is MISSING:
            found = value
            if isinstance(value, ArrayValue):
                break
        elif found != value:
            return MISSING
    if found is not MISSING:
        m.put(instance.attributes, name, found)
    return found


def _assignments(m: Machine, name: str) -> list[tuple[Module, ast.Assign]]:
    found = m.outside.get(name)
    if found is None:
        found = m.outside[name] = []
        for module in sorted(m.project.modules(), key=lambda module: module.path):
            if len(found) < MAX_PLACES and f".{name} = " in module.source and m.is_user(module):
                found.extend((module, node) for node in _in_module(module, name))
    return found


def _in_module(module: Module, name: str) -> Iterator[ast.Assign]:
    lines = [number for number, line in enumerate(module.lines, 1) if f".{name} = " in line]
    owners: dict[ast.AST, None] = {}
    for line in lines[:MAX_PLACES]:
        owner: ast.AST | None = None
        for definition in module.functions():
            if definition.node.lineno <= line <= (definition.node.end_lineno or 0):
                owner = definition.node  # the innermost comes last
        if owner is None:
            owner = next((s for s in module.tree.body if s.lineno <= line <= (s.end_lineno or 0)), None)
        if owner is not None:
            owners[owner] = None
    for root in owners:
        for node in ast.walk(root):
            if isinstance(node, ast.Assign) and len(node.targets) == 1:
                target = node.targets[0]
                if isinstance(target, ast.Attribute) and target.attr == name:
                    owned = isinstance(target.value, ast.Name) and target.value.id in ("self", "cls")
                    if not owned:
                        yield node


def _evaluate(m: Machine, module: Module, node: ast.Assign) -> Any:
    value = m.modules.get(module)
    if value is None or not all(_plain(value, part) for part in ast.walk(node.value)):
        return MISSING
    from warp_lint.host.lower import Lowerer

    frame = Frame(value, True, None)
    frame.vars = value.namespace
    frame.node = node
    evaluate = Lowerer(m, module).expression(node.value, hint=ast.unparse(node.targets[0]), kept=True)
    outer, m.frame = m.frame, frame
    try:
        return evaluate(frame)
    finally:
        m.frame = outer


def _plain(value: ModuleValue, part: ast.AST) -> bool:
    if isinstance(part, ast.Name):
        return part.id in value.namespace or externals.builtin(part.id) is not MISSING
    return isinstance(part, _PLAIN)
