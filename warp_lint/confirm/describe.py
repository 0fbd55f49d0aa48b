"""What the harness must know of a kernel before it can launch it: thread indices and integer roles."""

from __future__ import annotations

import ast
from dataclasses import dataclass, field

from warp_lint.syntax.module import Definition, Module, Scope
from warp_lint.syntax.project import External, Project, Value

_CONVERSIONS = ("builtins.int", "warp.int32", "warp.int64", "warp.constant", "warp.static")


@dataclass(slots=True)
class Facts:
    """`threads`: number of indices of `wp.tid()`, 0 where the kernel never asks. `roles`: "bound" or
    "index" for integer parameters and struct fields (`s.n`); others are sizes. `choices`: integer
    constants a parameter, or an array's elements, are compared with. `small`: exclusive bound of integers
    that index a local vector or matrix, where Warp doesn't check bounds; 0 where nothing does.
    `follows`: whether a `while` goes where elements of an array lead."""

    threads: int = 0
    tiled: bool = False
    roles: dict[str, str] = field(default_factory=dict)
    choices: dict[str, list[int]] = field(default_factory=dict)
    handles: dict[str, str] = field(default_factory=dict)
    calls: list[str] = field(default_factory=list)
    small: int = 0
    follows: bool = False

    def as_json(self) -> dict[str, object]:
        return {
            "threads": self.threads,
            "tiled": self.tiled,
            "roles": self.roles,
            "choices": self.choices,
            "handles": self.handles,
            "small": self.small,
            "nonzero": False,
            "chains": 0,
            "follows": self.follows,
            "normalizes": "warp.normalize" in self.calls,
            "extremes": any(name in ("warp.atomic_max", "warp.atomic_min") for name in self.calls),
        }


def describe(project: Project, definition: Definition) -> Facts:
    """Facts of a kernel's or func's own body; funcs it calls are followed for thread index and roles."""
    facts = Facts()
    _describe(project, definition, facts, {}, set())
    return facts


def _describe(
    project: Project, definition: Definition, facts: Facts, names: dict[str, str], seen: set[ast.AST], depth: int = 0
) -> None:
    """`names` maps the parameters of an inner func to paths of the kernel; empty at the kernel itself."""
    from warp_lint.confirm.promote import handle_kind

    node = definition.node
    if isinstance(node, ast.ClassDef) or node in seen or depth > 8:
        return
    seen.add(node)
    top = depth == 0

    def path(expression: ast.expr) -> str | None:
        parts: list[str] = []
        while isinstance(expression, (ast.Attribute, ast.Subscript)):
            if isinstance(expression, ast.Attribute):
                parts.insert(0, expression.attr)
            expression = expression.value
        if not isinstance(expression, ast.Name):
            return None
        head = expression.id if top else names.get(expression.id)
        return ".".join([head, *parts]) if head is not None else None

    def constant(expression: ast.expr) -> int | None:
        return _integer(project, definition.module, definition.scope, expression, definition.inner)

    def paths_in(expression: ast.AST) -> set[str]:
        found = set()
        for inner in ast.walk(expression):
            if isinstance(inner, (ast.Name, ast.Attribute)):
                at = path(inner)
                if at is not None:
                    found.add(at)
        return found

    def mark(expression: ast.AST, role: str) -> None:
        for at in paths_in(expression):
            if facts.roles.get(at) != "bound":
                facts.roles[at] = role

    # Locals that hold an element of an array (`kind = kinds[i]`).
    elements = {
        target.id: inner.value
        for inner in ast.walk(node)
        if isinstance(inner, ast.Assign) and isinstance(inner.value, ast.Subscript)
        for target in inner.targets
        if isinstance(target, ast.Name)
    }
    for statement in ast.walk(node):
        if isinstance(statement, ast.Assign) and _is_call(project, definition, statement.value, "warp.tid"):
            target = statement.targets[0]
            count = len(target.elts) if isinstance(target, ast.Tuple) else 1
            facts.threads = max(facts.threads, count)
        elif isinstance(statement, ast.While):
            mark(statement.test, "bound")
            facts.follows |= any(isinstance(inner, ast.Subscript) for inner in ast.walk(statement))
        elif isinstance(statement, ast.For) and isinstance(statement.iter, ast.Call):
            if _is_call(project, definition, statement.iter, "builtins.range"):
                for argument in statement.iter.args:
                    mark(argument, "bound")
        elif isinstance(statement, ast.Compare):
            left = [statement.left, *statement.comparators]
            constants = [c for c in (constant(side) for side in left) if c is not None]
            for side in left:
                at = path(elements.get(side.id, side) if isinstance(side, ast.Name) else side)
                if at is None or constant(side) is not None:
                    continue
                if constants:
                    known = facts.choices.setdefault(at, [])
                    known.extend(c for c in constants if c not in known)
                elif at not in facts.roles and isinstance(side, (ast.Name, ast.Attribute)):
                    facts.roles[at] = "limit"
        elif isinstance(statement, ast.Subscript):
            parts = statement.slice.elts if isinstance(statement.slice, ast.Tuple) else [statement.slice]
            for part in parts:
                at = path(part) if isinstance(part, (ast.Name, ast.Attribute)) else None
                if at is not None and facts.roles.get(at) not in ("bound", "limit"):
                    facts.roles[at] = "index"
            if _indexes_local(definition, statement, parts):
                facts.small = 3 if not facts.small else facts.small
        elif isinstance(statement, ast.Call):
            callee = project.resolve(definition.module, definition.scope, statement.func)
            if isinstance(callee, External):
                facts.calls.append(callee.name)
                if callee.name.startswith("warp.tile_") or callee.name == "warp.tile":
                    facts.tiled = True
                if callee.name == "warp.tid":
                    facts.threads = max(facts.threads, 1)
                kind = handle_kind(callee.name)
                if kind is not None and statement.args:
                    at = path(statement.args[0])
                    if at is not None:
                        facts.handles[at] = kind
            elif isinstance(callee, Definition) and isinstance(callee.node, ast.FunctionDef):
                parameters = [a.arg for a in [*callee.node.args.posonlyargs, *callee.node.args.args]]
                bound: dict[str, str] = {}
                for parameter, argument in zip(parameters, statement.args, strict=False):
                    at = path(argument)
                    if at is not None:
                        bound[parameter] = at
                _describe(project, callee, facts, bound, set(seen), depth + 1)


def _integer(
    project: Project, module: Module, scope: Scope, expression: ast.expr, inner: Scope | None = None, depth: int = 0
) -> int | None:
    """The integer that an expression is known to be: a literal, a constant, a member of an enum."""
    if isinstance(expression, ast.UnaryOp) and isinstance(expression.op, ast.USub):
        value = _integer(project, module, scope, expression.operand, inner, depth)
        return -value if value is not None else None
    if isinstance(expression, ast.Constant):
        return expression.value if type(expression.value) is int else None
    if isinstance(expression, ast.Call):
        callee = project.resolve(module, scope, expression.func)
        if not (isinstance(callee, External) and callee.name in _CONVERSIONS and len(expression.args) == 1):
            return None
        return _integer(project, module, scope, expression.args[0], inner, depth + 1)
    if isinstance(expression, ast.Attribute) and expression.attr == "value":
        expression = expression.value
    if depth > 6 or not isinstance(expression, (ast.Name, ast.Attribute)):
        return None
    if isinstance(expression, ast.Name) and inner is not None and expression.id in inner.bindings:
        return None
    found = project.resolve(module, scope, expression)
    if not isinstance(found, Value) or found.unpack:
        return None
    return _integer(project, found.module, found.scope, found.expression, None, depth + 1)


def _indexes_local(definition: Definition, node: ast.Subscript, parts: list[ast.expr]) -> bool:
    """Whether a value that isn't an argument is indexed by something that isn't constant."""
    base: ast.expr = node.value
    elements = 0
    while isinstance(base, (ast.Subscript, ast.Attribute)):
        elements += isinstance(base, ast.Subscript)
        base = base.value
    if not isinstance(base, ast.Name):
        return False
    args = definition.inner.bindings.get(base.id)
    parameter = bool(args) and args[0].kind == "parameter" if args else False
    varies = any(isinstance(n, ast.Name) for part in parts for n in ast.walk(part))
    # `a[i][j]` is an element of an argument's element, which is as small.
    return varies and (not parameter or elements > 0)


def _is_call(project: Project, definition: Definition, expression: ast.expr, name: str) -> bool:
    if not isinstance(expression, ast.Call):
        return False
    callee = project.resolve(definition.module, definition.scope, expression.func)
    return isinstance(callee, External) and callee.name == name
