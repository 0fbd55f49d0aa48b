"""Which programs and tests can get to a tape at all, by the names they mention.

Rapid type analysis on text: a function is reached if something reached mentions its name, a method if besides
something reached mentions its class. Names of a file mean its own definitions first. Most programs of a large
simulation library never open a tape, and running them abstractly would cost more than everything else.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator
from sys import intern
from typing import Any

from warp_lint.kernels.detect import kernels_of
from warp_lint.syntax.module import Definition, Module
from warp_lint.syntax.project import Project

_NAME = re.compile(r"[A-Za-z_]\w*")
_IMPLICIT = frozenset(("setUp", "setUpClass", "tearDown", "forward", "backward", "setup"))
_TAPE = re.compile(
    r"\bTape\(|\bTape\b.*\):|^\s*with\b[^\n]*(?i:tape)[^\n]*:\s*(?:#|$)|\badjoint\s*=\s*True|\.backward\(|\brecord_func\("
    r"|autograd\.Function",
    re.MULTILINE,
)


class Entity:
    """A function, method, class body or module-level variable. `names`: what it mentions, of the project's names."""

    __slots__ = ("lines", "module", "name", "names", "owner", "tape")

    def __init__(self, module: Module, name: str, lines: list[tuple[int, int]], owner: ClassEntity | None) -> None:
        self.module = module
        self.name = name
        self.lines = lines
        self.owner = owner
        self.names: frozenset[str] | None = None
        self.tape = False


class ClassEntity:
    __slots__ = ("body", "methods", "name")

    def __init__(self, module: Module, name: str) -> None:
        self.name = name
        self.body = Entity(module, name, [], None)
        self.methods: dict[str, list[Entity]] = {}


class State:
    """What is reached so far. Insertion order lets the last additions be taken back."""

    def __init__(self) -> None:
        self.names: dict[str, None] = {}
        self.entities: dict[Entity, None] = {}
        self.classes: dict[ClassEntity, None] = {}
        self.modules: dict[Module, None] = {}

    def sizes(self) -> tuple[int, ...]:
        return len(self.names), len(self.entities), len(self.classes), len(self.modules)

    def cut(self, sizes: tuple[int, ...]) -> None:
        """Back to earlier sizes."""
        every: tuple[dict[Any, None], ...] = (self.names, self.entities, self.classes, self.modules)
        for held, size in zip(every, sizes, strict=True):
            while len(held) > size:
                held.popitem()


class Reach:
    """`scripts`: modules that only count where they are the entry, or where that one imports them."""

    def __init__(self, project: Project, modules: Iterable[Module], scripts: set[Module]) -> None:
        self.project = project
        self.functions: dict[str, list[Entity]] = {}
        self.classes: dict[str, list[ClassEntity]] = {}
        self.methods: dict[str, list[Entity]] = {}
        self.own: dict[Module, set[str]] = {}
        self.scripts = scripts
        self.silent = State()  # what programs without tapes reach together
        for module in modules:
            self._index(module)

    # Index

    def _index(self, module: Module) -> None:
        own = self.own[module] = set()
        pending: list[ast.stmt] = list(module.tree.body)
        while pending:
            node = pending.pop()
            if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
                self._add(own, Entity(module, intern(node.name), [_range(node)], None))
            elif isinstance(node, ast.ClassDef):
                own.add(self._class(module, node))
            elif isinstance(node, (ast.Assign, ast.AnnAssign)):
                targets = node.targets if isinstance(node, ast.Assign) else [node.target]
                for target in targets:
                    if isinstance(target, ast.Name):
                        self._add(own, Entity(module, intern(target.id), [_range(node)], None))
            elif isinstance(node, (ast.If, ast.Try, ast.With)):
                pending += node.body
                pending += getattr(node, "orelse", [])

    def _add(self, own: set[str], entity: Entity) -> None:
        own.add(entity.name)
        self.functions.setdefault(entity.name, []).append(entity)

    def _class(self, module: Module, node: ast.ClassDef) -> str:
        made = ClassEntity(module, intern(node.name))
        self.classes.setdefault(made.name, []).append(made)
        start = min([node.lineno, *(d.lineno for d in node.decorator_list)])
        lines = []
        for statement in node.body:
            if isinstance(statement, (ast.FunctionDef, ast.AsyncFunctionDef)):
                method = Entity(module, intern(statement.name), [_range(statement)], made)
                made.methods.setdefault(method.name, []).append(method)
                self.methods.setdefault(method.name, []).append(method)
                first, last = method.lines[0]
                lines.append((start, first - 1))
                start = last + 1
            elif isinstance(statement, ast.ClassDef):
                self._class(module, statement)
        lines.append((start, node.end_lineno or node.lineno))
        made.body.lines = [(first, last) for first, last in lines if first <= last]
        return made.name

    def _names(self, entity: Entity) -> frozenset[str]:
        if entity.names is None:
            lines = entity.module.lines
            text = "\n".join("\n".join(lines[first - 1 : last]) for first, last in entity.lines)
            entity.names = self.mentioned(text) - {entity.name}
            entity.tape = _TAPE.search(text) is not None
        return entity.names

    def mentioned(self, text: str) -> frozenset[str]:
        return frozenset(
            intern(name)
            for name in set(_NAME.findall(text))
            if name in self.functions or name in self.classes or name in self.methods
        )

    # Search

    def launched(self) -> Iterator[Definition]:
        """Kernels that only programs without tapes lead to, as far as names tell."""
        lines: dict[Module, list[tuple[int, int]]] = {}
        for entity in self.silent.entities:
            lines.setdefault(entity.module, []).extend(entity.lines)
        for module, ranges in lines.items():
            for kernel in kernels_of(self.project, module):
                line = kernel.node.lineno
                if any(first <= line <= last for first, last in ranges):
                    yield kernel

    def leads(self, module: Module, text: str, imported: Iterable[Module] = ()) -> bool:
        """Does code of a module get to a tape? `imported`: scripts that it imports."""
        if _TAPE.search(text):
            return True
        names = self.mentioned(text)
        modules = {module, *imported}
        before = self.silent.sizes()
        if not self._extend(self.silent, module, names, modules):
            return False
        self.silent.cut(before)
        return self._extend(State(), module, names, modules)

    def _extend(self, state: State, module: Module, names: Iterable[str], modules: set[Module]) -> bool:
        """Add what names of a module reach; whether a tape is among it."""
        fresh = [m for m in modules if m not in state.modules and m in self.scripts]
        state.modules.update(dict.fromkeys(modules))
        pending = list(self._resolve(state, module, names))
        for script in fresh:
            pending += self._resolve(state, script, state.names.keys() & self.own.get(script, set()), again=True)
        while pending:
            entity = pending.pop()
            if entity in state.entities:
                continue
            state.entities[entity] = None
            found = self._names(entity)
            if entity.tape:
                return True
            pending += self._resolve(state, entity.module, found)
        return False

    def _resolve(self, state: State, module: Module, names: Iterable[str], again: bool = False) -> Iterator[Entity]:
        """Entities that mentions in a module lead to."""
        own = self.own.get(module, set())
        for name in names:
            if name in own:
                yield from self._defined(state, name, only=module)
            if name in state.names and not again:
                continue
            state.names[name] = None
            if name not in own:
                yield from self._defined(state, name)
            for method in self.methods.get(name, ()):
                if method.owner in state.classes:
                    yield method

    def _defined(self, state: State, name: str, only: Module | None = None) -> Iterator[Entity]:
        for entity in self.functions.get(name, ()):
            if self._active(state, entity.module, only):
                yield entity
        for cls in self.classes.get(name, ()):
            if cls not in state.classes and self._active(state, cls.body.module, only):
                state.classes[cls] = None
                yield cls.body
                for method, entities in cls.methods.items():
                    if method in state.names or method in _IMPLICIT or method.startswith("__"):
                        yield from entities

    def _active(self, state: State, module: Module, only: Module | None) -> bool:
        if only is not None:
            return module is only
        return module not in self.scripts or module in state.modules


def _range(node: ast.stmt) -> tuple[int, int]:
    decorators = getattr(node, "decorator_list", ())
    return min([node.lineno, *(d.lineno for d in decorators)]), node.end_lineno or node.lineno
