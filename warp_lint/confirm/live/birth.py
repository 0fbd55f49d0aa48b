"""Where a NaN or an infinity first enters the gradient."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Any

import numpy as np

from warp_lint.confirm.live.memory import elements
from warp_lint.confirm.live.shadow import Everything
from warp_lint.confirm.live.sources import kernel_site, shift_of, source_tree
from warp_lint.confirm.live.steps import Step

if TYPE_CHECKING:
    from warp_lint.confirm.live.checks import Check

_SELECTS = {"where", "select"}
_SINGULAR = {
    "sqrt",
    "cbrt",
    "log",
    "log2",
    "log10",
    "pow",
    "length",
    "normalize",
    "acos",
    "asin",
    "exp",
    "div",
    "norm_l2",
}


def births(check: Check) -> list[dict[str, Any]]:
    """The first adjoint that makes a non-finite gradient of finite ones: launch, element, inputs there."""
    shadow, window = check.shadow, check.window
    found: list[dict[str, Any]] = []

    def watch(step: Step, gradient: Any, on: Any, before: bool) -> bool:
        places = []
        for touch in step.touches:
            region = window.region(touch.low)
            key = shadow.key(region, touch.delta, on)
            if key is not None and touch.element.floating:
                values = touch.view(gradient(key).ctypes.data - region.low)
                places.append((touch, values))
        if before:
            return all(np.all(np.isfinite(values)) for _, values in places)
        bad = [(touch, values) for touch, values in places if not np.all(np.isfinite(values))]
        if bad and not found:
            touch, values = bad[0]
            index = tuple(int(i) for i in np.argwhere(~np.isfinite(values))[0])
            code, line = blame(step)
            path, _ = kernel_site(step)
            found.append(
                {
                    "kind": "birth",
                    "code": code,
                    "site": (path, line) if check.is_users(path) else (step.site.path, step.site.line),
                    "launch": (step.site.path, step.site.line),
                    "kernel": step.name,
                    "actor": step.name,
                    "array": touch.label,
                    "index": list(index),
                    "inputs": _inputs(step, index),
                    "value": str(values[index]),
                }
            )
        return True

    shadow.watch = watch
    try:
        check.sweep(Everything())
    finally:
        shadow.watch = None
    return found


def _inputs(step: Step, index: tuple[int, ...]) -> dict[str, str]:
    """Values that the launch read at the same place, by array."""
    result: dict[str, str] = {}
    for touch in step.touches:
        content = touch.before
        if content is None or not touch.element.floating:
            continue
        view = elements(content.ctypes.data + touch.pointer - touch.low, touch.shape, touch.strides, touch.element)
        lead = index[: len(touch.shape)]
        if len(lead) == len(touch.shape) and all(i < n for i, n in zip(lead, touch.shape, strict=True)):
            result[touch.label] = np.array2string(view[lead], precision=6)
    return result


def blame(step: Step) -> tuple[str, int]:
    """Rule and line: a selection around a singular operation, or the singular operation itself."""
    _, start = kernel_site(step)
    function = source_tree(step.kernel)
    if function is None:
        return ("ADJ502", start)
    shift = shift_of(function, start)
    singular: int | None = None
    for node in ast.walk(function):
        if isinstance(node, ast.Call):
            name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
            if name in _SELECTS:
                return ("ADJ501", node.lineno + shift)
            if name in _SINGULAR:
                singular = singular or node.lineno + shift
        elif isinstance(node, ast.BinOp) and isinstance(node.op, ast.Div | ast.Pow):
            singular = singular or node.lineno + shift
    return ("ADJ502", singular or start)
