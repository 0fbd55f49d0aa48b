"""Where a file opens tapes, and which functions lead there. Syntax only."""

from __future__ import annotations

import ast
import re
from dataclasses import dataclass, field

from warp_lint.host.natives import names_tape
from warp_lint.syntax.module import Module

FunctionNode = ast.FunctionDef | ast.AsyncFunctionDef


@dataclass(slots=True, eq=False)
class Routine:
    """A module-level function, or a method. `names`: what it mentions; `scopes`: its `with tape:` statements."""

    node: FunctionNode
    owner: ast.ClassDef | None
    names: set[str] = field(default_factory=set)
    scopes: list[ast.With | ast.AsyncWith] = field(default_factory=list)
    backward: bool = False

    @property
    def is_test(self) -> bool:
        return self.node.name.startswith("test")


@dataclass(slots=True)
class Outline:
    """The routines of a module, and what runs at its top level."""

    module: Module
    routines: list[Routine]
    top_scopes: list[ast.With | ast.AsyncWith]
    has_main: bool
    top_names: set[str]

    @property
    def has_tape(self) -> bool:
        return bool(self.top_scopes) or any(r.scopes or r.backward for r in self.routines)

    def scopes(self) -> list[ast.With | ast.AsyncWith]:
        return [*self.top_scopes, *(s for r in self.routines for s in r.scopes)]


def mentions_tape(module: Module) -> bool:
    source = module.source
    return "Tape" in source or "tape" in source or "autograd.Function" in source or "adjoint=True" in source


def is_scope(node: ast.With | ast.AsyncWith) -> bool:
    for item in node.items:
        expr = item.context_expr
        if isinstance(expr, ast.IfExp):
            expr = expr.body
        if isinstance(expr, ast.Call):
            name = expr.func.attr if isinstance(expr.func, ast.Attribute) else getattr(expr.func, "id", "")
            if name == "Tape":
                return True
        elif isinstance(expr, (ast.Name, ast.Attribute)):
            name = expr.attr if isinstance(expr, ast.Attribute) else expr.id
            if names_tape(name):
                return True
    return False


def outline(module: Module) -> Outline:
    routines: list[Routine] = []
    top = Routine(
        ast.FunctionDef(name="", args=ast.arguments([], [], None, [], [], None, []), body=[], decorator_list=[]), None
    )
    has_main = False
    pending: list[tuple[ast.stmt, ast.ClassDef | None]] = [(s, None) for s in reversed(module.tree.body)]
    while pending:
        statement, owner = pending.pop()
        if isinstance(statement, (ast.FunctionDef, ast.AsyncFunctionDef)):
            routine = Routine(statement, owner)
            _scan(module, statement, routine)
            routines.append(routine)
        elif isinstance(statement, ast.ClassDef):
            pending.extend((s, statement) for s in reversed(statement.body))
        elif owner is None:
            if isinstance(statement, ast.If) and "__main__" in ast.unparse(statement.test):
                has_main = True
                _scan(module, statement, top)
            elif isinstance(statement, (ast.If, ast.Try)):
                inner: list[ast.stmt] = [*statement.body, *statement.orelse]
                if isinstance(statement, ast.Try):
                    inner += statement.finalbody
                pending.extend((s, None) for s in reversed(inner))
                if isinstance(statement, ast.If):
                    _scan(module, statement.test, top)
            elif not isinstance(statement, (ast.Import, ast.ImportFrom)):
                _scan(module, statement, top)
    return Outline(module, routines, top.scopes, has_main, top.names)


_NAME = re.compile(r"[A-Za-z_]\w*")


def _scan(module: Module, root: ast.AST, routine: Routine) -> None:
    """Fill in what a statement mentions; its tree is only walked if its text speaks of tapes."""
    text = "\n".join(module.lines[getattr(root, "lineno", 1) - 1 : getattr(root, "end_lineno", 1)])
    names = set(_NAME.findall(text))
    routine.names |= names
    routine.backward = routine.backward or "backward" in names
    if "with" not in names or "tape" not in text.lower():
        return
    stack: list[ast.AST] = [root]
    while stack:
        node = stack.pop()
        if isinstance(node, (ast.With, ast.AsyncWith)) and is_scope(node):
            routine.scopes.append(node)
        if not isinstance(node, ast.expr):
            stack.extend(ast.iter_child_nodes(node))


def leading(routines: list[Routine], wanted: list[Routine]) -> list[Routine]:
    """The routines from which the wanted ones are reached by name and that nothing else here calls;
    in source order."""
    reach: set[int] = {id(r) for r in wanted}
    names = {r.node.name for r in wanted if not r.node.name.startswith("__")}
    spread(routines, names, reach)
    members = [r for r in routines if id(r) in reach]
    called: set[str] = set()
    for routine in members:
        called |= routine.names - {routine.node.name}
    tops = [r for r in members if r.node.name not in called and r.node.name != "__init__"]
    return tops or wanted


def spread(routines: list[Routine], names: set[str], reach: set[int] | None = None) -> set[str]:
    """Add to `names` those of the routines that lead there by name (and to `reach` their identities)."""
    reach = set() if reach is None else reach
    changed = True
    while changed:
        changed = False
        for routine in routines:
            if id(routine) not in reach and routine.names & names:
                reach.add(id(routine))
                if not routine.node.name.startswith("__"):
                    names.add(routine.node.name)
                changed = True
    return names


def enclosing_conditions(root: ast.AST, target: ast.AST) -> list[tuple[ast.expr, bool]]:
    """The `if` tests around a statement inside a function, with the arm that leads to it."""
    result: list[tuple[ast.expr, bool]] = []

    def search(node: ast.AST) -> bool:
        if node is target:
            return True
        if isinstance(node, ast.If):
            for arm, body in ((True, node.body), (False, node.orelse)):
                if any(search(s) for s in body):
                    result.append((node.test, arm))
                    return True
            return False
        return any(search(child) for child in ast.iter_child_nodes(node))

    search(root)
    return result
