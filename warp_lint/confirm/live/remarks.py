"""What stands out in a recorded tape and proves nothing: launches recorded twice, flat operations on the way."""

from __future__ import annotations

import ast
import ctypes
from typing import TYPE_CHECKING, Any

import numpy as np

from warp_lint.confirm.live.sources import kernel_site, shift_of, source_tree
from warp_lint.confirm.live.steps import Step

if TYPE_CHECKING:
    from warp_lint.confirm.live.checks import Check
    from warp_lint.confirm.live.judgement import Judgement

FLAT = {"round", "rint", "trunc", "floor", "ceil", "sign", "int", "int8", "int16", "int32", "int64"}
MOST = 5


def remarks(check: Check, judgement: Judgement) -> list[dict[str, Any]]:
    """Each with `kind`, `text` (one sentence), `site` and `other` (a second place, or None)."""
    return [*duplicates(check), *flat(check, judgement)][:MOST]


def duplicates(check: Check) -> list[dict[str, Any]]:
    """Launches that repeat the one before on equal inputs and add to what it wrote."""
    result: list[dict[str, Any]] = []
    seen: set[Any] = set()
    previous: Step | None = None
    for step in check.window.entries:
        if step.kind != "launch":
            continue
        if previous is not None and _repeats(check, previous, step) and (step.site, previous.site) not in seen:
            seen.add((step.site, previous.site))
            written = next(t for t in step.touches if t.after is not None)
            result.append(
                {
                    "kind": "duplicate",
                    "text": f"`{step.name}` is launched twice in a row with the same arguments, and `{written.label}` "
                    "gets both, its gradient too",
                    "site": [step.site.path, step.site.line],
                    "other": [previous.site.path, previous.site.line],
                }
            )
        previous = step
    return result


def _repeats(check: Check, first: Step, second: Step) -> bool:
    if first.kernel is not second.kernel or len(first.params) != len(second.params):
        return False
    if any(_bytes(a) != _bytes(b) for a, b in zip(first.params, second.params, strict=True)):
        return False
    wrote = False
    for a, b in zip(first.touches, second.touches, strict=False):
        if a.after is None and b.after is None:
            if a.before is None or b.before is None or not np.array_equal(a.before, b.before):
                return False
        else:
            wrote |= a.after is not None and b.after is not None and a.element.floating
    return wrote


def _bytes(param: Any) -> bytes:
    if isinstance(param, ctypes._SimpleCData | ctypes.Structure | ctypes.Array):
        return bytes(param)
    return repr(param).encode()


def flat(check: Check, judgement: Judgement) -> list[dict[str, Any]]:
    """Flat operations between an array whose gradient is zero throughout and the loss."""
    result: list[dict[str, Any]] = []
    seen: set[Any] = set()
    for parameter in judgement.parameters:
        if parameter.region.index < 0 or np.any(parameter.own) or np.any(parameter.ideal):
            continue
        found = _first_flat(check, parameter.region.index)
        if found is None or found[:2] in seen:
            continue
        path, line, name, step = found
        seen.add((path, line))
        moves = any(d.known and abs(d.value) > 4 * d.error and abs(d.value) > 1e-9 for d in parameter.fd.values())
        result.append(
            {
                "kind": "flat",
                "text": f"the gradient of `{parameter.name}` is zero: `{step.name}` passes it through `{name}`, which "
                + ("is flat, while differences see its steps" if moves else "is flat"),
                "site": [path, line],
                "other": [step.site.path, step.site.line],
            }
        )
    return result


def _first_flat(check: Check, index: int) -> tuple[str, int, str, Step] | None:
    window = check.window
    reached = {index}
    for step in window.entries:
        regions = {window.region(t.low).index for t in step.touches}
        if not regions & reached:
            continue
        if step.kind == "launch":
            called = flat_call(step.kernel)
            if called is not None:
                return (kernel_site(step)[0], called[0], called[1], step)
        reached |= {window.region(t.low).index for t in step.touches if t.after is not None}
    return None


def flat_call(kernel: Any) -> tuple[int, str] | None:
    """Line in the file and name of the first flat operation in a kernel's text."""
    function = source_tree(kernel)
    if function is None:
        return None
    shift = shift_of(function, int(getattr(kernel.adj, "fun_lineno", 0) or 0))
    inside = {id(n) for s in ast.walk(function) if isinstance(s, ast.Subscript) for n in ast.walk(s.slice)}
    for node in ast.walk(function):
        if isinstance(node, ast.Call) and id(node) not in inside:
            name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
            if name in FLAT and node.args and not isinstance(node.args[0], ast.Constant):
                return (node.lineno + shift, name)
    return None
