"""Arguments of the functions that make kernels: from their calls, or values that are at least plausible."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from warp_lint.syntax.module import Definition, Module, Scope
from warp_lint.syntax.project import External, Project

# Sizes that fit each other and the harness's arrays of ten per dimension.
SIZE, BLOCK, FEW = 8, 4, 2
MANY = 20  # passes of a loop that Warp doesn't unroll
_BLOCKS = ("block", "tile", "chunk", "width")
_FEW = ("axis", "axes", "index", "idx", "component", "degree", "order")


class Factories:
    """Calls of a project's functions."""

    def __init__(self, project: Project) -> None:
        self.project = project
        self._calls: dict[Module, dict[str, list[tuple[ast.Call, Scope]]]] = {}

    def arguments(self, factory: Definition, name: str) -> Iterator[tuple[Module, Scope, ast.expr]]:
        """What calls pass for a parameter, and where these expressions are to be read."""
        node = factory.node
        assert isinstance(node, ast.FunctionDef)
        names = parameters(node)
        for caller, call, scope in self._calls_to(factory):
            offset = 1 if factory.parent_class is not None and isinstance(call.func, ast.Attribute) else 0
            argument = next((k.value for k in call.keywords if k.arg == name), None)
            if argument is None and name in names and not any(isinstance(a, ast.Starred) for a in call.args):
                position = names.index(name) - offset
                argument = call.args[position] if 0 <= position < len(call.args) else None
            if argument is not None:
                yield caller, scope, argument

    def _calls_to(self, factory: Definition) -> list[tuple[Module, ast.Call, Scope]]:
        found = []
        for module in [factory.module, *(m for m in self.project.modules() if m is not factory.module)]:
            for call, scope in self._calls_in(module).get(factory.name, []):
                of = self.project.resolve(module, scope, call.func)
                method = factory.parent_class is not None and isinstance(call.func, ast.Attribute)
                if (isinstance(of, Definition) and of.node is factory.node) or (of is None and method):
                    found.append((module, call, scope))
        return found

    def _calls_in(self, module: Module) -> dict[str, list[tuple[ast.Call, Scope]]]:
        if module not in self._calls:
            table: dict[str, list[tuple[ast.Call, Scope]]] = {}
            stack: list[tuple[ast.AST, Scope]] = [(module.tree, module.scope)]
            while stack:
                node, scope = stack.pop()
                inner = module.definitions.get(node)
                here = inner.inner if inner is not None else scope
                if isinstance(node, ast.Call):
                    callee = node.func
                    name = callee.attr if isinstance(callee, ast.Attribute) else getattr(callee, "id", None)
                    if isinstance(name, str):
                        table.setdefault(name, []).append((node, here))
                stack.extend((child, here) for child in ast.iter_child_nodes(node))
            self._calls[module] = table
        return self._calls[module]


def parameters(node: ast.FunctionDef) -> list[str]:
    """Names of the parameters that may be passed by position."""
    return [a.arg for a in [*node.args.posonlyargs, *node.args.args]]


def default(node: ast.FunctionDef, name: str) -> ast.expr | None:
    args = node.args
    defaults = dict(zip(reversed(parameters(node)), reversed(args.defaults), strict=False))
    defaults.update({a.arg: d for a, d in zip(args.kwonlyargs, args.kw_defaults, strict=True) if d is not None})
    return defaults.get(name)


def plausible(project: Project, factory: Definition, name: str) -> ast.expr | None:
    """A value for a parameter whose arguments aren't known, as an expression to be read where the factory
    is defined. None for objects and functions, which nobody can guess."""
    node = factory.node
    assert isinstance(node, ast.FunctionDef)
    args = [*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs]
    argument = next((a for a in args if a.arg == name), None)
    if argument is None:
        return None
    kind = project.resolve(factory.module, factory.scope, argument.annotation) if argument.annotation else None
    if isinstance(kind, Definition) and argument.annotation is not None and is_dataclass(project, kind, True):
        return ast.Call(argument.annotation, [], [])
    if _is_object(node, name):
        return None
    if isinstance(kind, Definition) and isinstance(kind.node, ast.ClassDef):
        member = _first_member(project, kind)
        if member is None or argument.annotation is None:
            return None
        return ast.Attribute(argument.annotation, member, ast.Load())
    text = kind.name if isinstance(kind, External) else ""
    if text == "builtins.bool":
        return ast.Constant(False)
    if text == "builtins.float":
        return ast.Constant(0.5)
    if text == "builtins.type" or _is_type(node, name):
        return ast.Name("float", ast.Load())
    if text not in ("builtins.int", "") or (argument.annotation is not None and not text):
        return None
    lowered = name.lower()
    if any(word in lowered for word in _FEW):
        return ast.Constant(FEW)
    if _is_bound(node, name) and not _is_extent(node, name):
        return ast.Constant(MANY)
    return ast.Constant(BLOCK if any(word in lowered for word in _BLOCKS) else SIZE)


def is_dataclass(project: Project, definition: Definition, complete: bool = False) -> bool:
    """Whether a class is a dataclass without bases; `complete`: all of its fields have defaults."""
    node = definition.node
    if not isinstance(node, ast.ClassDef) or node.bases:
        return False
    for decorator in node.decorator_list:
        target = decorator.func if isinstance(decorator, ast.Call) else decorator
        made = project.resolve(definition.module, definition.scope, target)
        if isinstance(made, External) and made.name == "dataclasses.dataclass":
            return not complete or all(s.value is not None for s in node.body if isinstance(s, ast.AnnAssign))
    return False


def _is_object(node: ast.FunctionDef, name: str) -> bool:
    """Whether something is taken out of a parameter, or it is called."""
    for inner in ast.walk(node):
        target = (
            inner.value
            if isinstance(inner, (ast.Attribute, ast.Subscript))
            else inner.func
            if isinstance(inner, ast.Call)
            else None
        )
        if isinstance(target, ast.Name) and target.id == name:
            return True
    return False


def _is_bound(node: ast.FunctionDef, name: str) -> bool:
    """Whether a parameter by itself limits a loop."""
    ranges = (n for n in ast.walk(node) if isinstance(n, ast.Call) and getattr(n.func, "id", "") == "range")
    return any(isinstance(a, ast.Name) and a.id == name for call in ranges for a in call.args)


def _is_extent(node: ast.FunctionDef, name: str) -> bool:
    """Whether a parameter is the size of something."""
    for inner in ast.walk(node):
        places: list[ast.expr] = []
        if isinstance(inner, ast.Call):
            places = [k.value for k in inner.keywords if k.arg in ("shape", "offset", "length")]
        elif isinstance(inner, ast.arg) and inner.annotation is not None:
            places = [inner.annotation]
        if any(isinstance(n, ast.Name) and n.id == name for place in places for n in ast.walk(place)):
            return True
    return False


def _is_type(node: ast.FunctionDef, name: str) -> bool:
    """Whether a parameter stands in an annotation or for the type of elements."""
    for inner in ast.walk(node):
        places = (
            [inner.annotation]
            if isinstance(inner, ast.arg)
            else [k.value for k in inner.keywords if k.arg == "dtype"]
            if isinstance(inner, ast.Call)
            else []
        )
        if any(isinstance(place, ast.Name) and place.id == name for place in places):
            return True
    return False


def _first_member(project: Project, definition: Definition) -> str | None:
    """The first member of an enum."""
    node = definition.node
    assert isinstance(node, ast.ClassDef)
    bases = [project.resolve(definition.module, definition.scope, base) for base in node.bases]
    if not bases or not all(isinstance(b, External) and b.name.startswith("enum.") for b in bases):
        return None
    for statement in node.body:
        if isinstance(statement, ast.Assign) and isinstance(statement.targets[0], ast.Name):
            return statement.targets[0].id
    return None
