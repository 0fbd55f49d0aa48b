"""What a `func_grad` says about the parameters of its forward: which adjoints it writes, which primals it reads."""

from __future__ import annotations

import ast
from dataclasses import dataclass, field

from warp_lint.kernels.types import TypeReader
from warp_lint.syntax.module import Definition


@dataclass(slots=True)
class GradientWrite:
    """One `wp.adjoint[x] = …` or `+=`; `element`: of an element of an array (`wp.adjoint[x][i]`)."""

    name: str
    node: ast.stmt
    assigned: bool
    element: bool


@dataclass(slots=True)
class CustomGradient:
    """A `func_grad`. `incoming`: names of the adjoints of the results."""

    definition: Definition
    parameters: tuple[str, ...] = ()
    incoming: tuple[str, ...] = ()
    writes: list[GradientWrite] = field(default_factory=list)
    reads: set[str] = field(default_factory=set)
    # Calls that get an adjoint by reference, or anything else that may write one.
    escapes: set[str] = field(default_factory=set)

    @property
    def written(self) -> set[str]:
        return {write.name for write in self.writes} | self.escapes


def custom_gradient(reader: TypeReader, forward: Definition, definition: Definition) -> CustomGradient:
    """Read a `func_grad`'s body."""
    assert not isinstance(definition.node, ast.ClassDef) and not isinstance(forward.node, ast.ClassDef)
    names = tuple(a.arg for a in definition.node.args.args)
    count = len(forward.node.args.args)
    result = CustomGradient(definition, names[:count], names[count:])
    keys: set[int] = set()
    for node in ast.walk(definition.node):
        if isinstance(node, (ast.Assign, ast.AugAssign)):
            target = node.targets[0] if isinstance(node, ast.Assign) else node.target
            base, depth = target, 0
            while isinstance(base, (ast.Subscript, ast.Attribute)) and not _is_adjoint(base):
                base, depth = base.value, depth + 1
            if isinstance(base, ast.Subscript) and _is_adjoint(base):
                name = _root(base.slice)
                keys.update(id(inner) for inner in ast.walk(base.slice))
                if name:
                    assigned = isinstance(node, ast.Assign) and not _adds_to_itself(node, name)
                    result.writes.append(GradientWrite(name, node, assigned, depth > 0))
    written = {id(write.node) for write in result.writes}
    for node in ast.walk(definition.node):
        if isinstance(node, ast.Subscript) and _is_adjoint(node) and id(node) not in written:
            keys.update(id(inner) for inner in ast.walk(node.slice))
            name = _root(node.slice)
            if name and not any(write.name == name for write in result.writes):
                result.escapes.add(name)
    for node in ast.walk(definition.node):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load) and id(node) not in keys:
            result.reads.add(node.id)
    return result


def _is_adjoint(node: ast.expr) -> bool:
    if not isinstance(node, ast.Subscript):
        return False
    value = node.value
    name = value.attr if isinstance(value, ast.Attribute) else value.id if isinstance(value, ast.Name) else ""
    return name == "adjoint"


def _root(node: ast.expr) -> str:
    while isinstance(node, (ast.Subscript, ast.Attribute)):
        node = node.value
    return node.id if isinstance(node, ast.Name) else ""


def _adds_to_itself(node: ast.Assign, name: str) -> bool:
    """`wp.adjoint[x] = wp.adjoint[x] + g`."""
    return any(
        isinstance(inner, ast.Subscript) and _is_adjoint(inner) and _root(inner.slice) == name
        for inner in ast.walk(node.value)
    )
