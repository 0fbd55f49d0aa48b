"""Which call decides that an array has no gradient: the allocation, or the one that hands its `requires_grad` down."""

from __future__ import annotations

import ast
from typing import Any

from warp_lint.findings import Location
from warp_lint.host.machine import Frame, Machine

MAX_LEVELS = 8


def decided_at(m: Machine, site: Any) -> Location | None:
    """The statement whose call gives the value of the allocation's `requires_grad`, where that is a parameter of the
    function around it (and so on outwards); None if the allocation decides."""
    value = next((k.value for k in site.node.keywords if k.arg == "requires_grad"), None) if site is not None else None
    frame: Frame | None = m.frame
    found: Location | None = None
    for _ in range(MAX_LEVELS):
        if not isinstance(value, ast.Name) or frame is None or not frame.user or frame.function is None:
            break
        arguments = frame.function.node.args
        params = [a.arg for a in (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs)]
        caller = frame.caller
        if value.id not in params or caller is None or not caller.user:
            break
        found = m.location(caller.module.module, caller.node)
        call = _call(caller.node, frame)
        value = _argument(call, frame, value.id, params) if call is not None else None
        frame = caller
    return found


def _call(statement: ast.AST, frame: Frame) -> ast.Call | None:
    """The call in a statement that runs a function, if only one fits by name."""
    assert frame.function is not None
    names = {frame.function.name}
    if frame.function.owner is not None and frame.function.name == "__init__":
        names.add(frame.function.owner.name)
    fitting = []
    for node in ast.walk(statement):
        if isinstance(node, ast.Call):
            name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
            if name in names:
                fitting.append(node)
    return fitting[0] if len(fitting) == 1 else None


def _argument(call: ast.Call, frame: Frame, name: str, params: list[str]) -> ast.expr | None:
    for keyword in call.keywords:
        if keyword.arg == name:
            return keyword.value
    bound = frame.function is not None and frame.function.owner is not None and frame.function.kind != "static"
    position = params.index(name) - (1 if bound else 0)
    return call.args[position] if 0 <= position < len(call.args) else None
