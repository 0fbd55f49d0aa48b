"""Which members of its struct arguments a kernel can touch, by its source and that of the funcs it calls.

A launch gets whole structs. One that only names `s.x` neither reads nor writes the array in `s.f`.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Any

from warp_lint.confirm.live.sources import Path, chain, source_tree

# Parts of a func that its own source doesn't show.
_OTHER_CODE = ("native_snippet", "custom_grad_func", "custom_replay_func")

_known: dict[int, tuple[Any, frozenset[Path] | None]] = {}


def touches(kernel: Any, path: Path) -> bool:
    """Whether a launch of `kernel` may read or write the array at `path`: an argument's name, then members."""
    if len(path) < 2:
        return True
    named = _named(kernel)
    return named is None or any(path[: len(other)] == other[: len(path)] for other in named)


def _named(code: Any, active: tuple[int, ...] = ()) -> frozenset[Path] | None:
    """Paths that a kernel or func names, from its parameters; None if its source can't be had."""
    known = _known.get(id(code))
    if known is not None:
        return known[1]
    if id(code) in active:
        return None
    if any(getattr(code, name, None) is not None for name in _OTHER_CODE):
        return None
    tree = source_tree(code)
    result = None if tree is None else frozenset(_paths(tree, code.adj, (*active, id(code))))
    _known[id(code)] = (code, result)  # the object is kept, so its identity stays its own
    return result


def _paths(tree: ast.FunctionDef, adjoint: Any, active: tuple[int, ...]) -> Iterator[Path]:
    inside: set[int] = set()  # nodes that a longer path covers
    for node in ast.walk(tree):
        if isinstance(node, ast.Call):
            yield from _handed_on(node, adjoint, active, inside)
        if isinstance(node, ast.Attribute | ast.Name) and id(node) not in inside:
            path = chain(node)
            if path:
                inside.update(map(id, ast.walk(node)))
                yield path


def _handed_on(call: ast.Call, adjoint: Any, active: tuple[int, ...], inside: set[int]) -> Iterator[Path]:
    """What a func that is called names of each struct it is given."""
    function = _resolve(call.func, adjoint)
    overloads = list(getattr(function, "user_overloads", {}).values()) or [function]
    if getattr(function, "adj", None) is None and len(overloads) == 1 and overloads[0] is function:
        return
    paths = [_named(overload, active) for overload in overloads]
    if any(found is None for found in paths):
        return
    for position, value in enumerate(call.args):
        at = chain(value)
        if not at:
            continue
        inside.update(map(id, ast.walk(value)))
        for overload, found in zip(overloads, paths, strict=True):
            parameters = [argument.label for argument in overload.adj.args]
            if position >= len(parameters):
                yield at
            for path in found or ():
                if position < len(parameters) and path[0] == parameters[position]:
                    yield (*at, *path[1:])


def _resolve(node: ast.expr, adjoint: Any) -> Any:
    """The object that a called name stands for in the kernel's module or closure; None if there is none."""
    function = getattr(adjoint, "func", None)
    if isinstance(node, ast.Attribute):
        return getattr(_resolve(node.value, adjoint), node.attr, None)
    if not isinstance(node, ast.Name) or function is None:
        return None
    free = getattr(getattr(function, "__code__", None), "co_freevars", ())
    cells = getattr(function, "__closure__", None) or ()
    for name, cell in zip(free, cells, strict=False):
        if name == node.id:
            try:
                return cell.cell_contents
            except ValueError:
                return None
    return getattr(function, "__globals__", {}).get(node.id)
