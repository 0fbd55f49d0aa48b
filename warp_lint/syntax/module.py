"""One source file: its tree, its scopes, and what its names stand for.

The index is built on `ast`, which carries positions and costs a tenth of a concrete tree.
"""

from __future__ import annotations

import ast
from array import array
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import accumulate
from pathlib import Path
from typing import overload

from warp_lint.findings import Location

FunctionNode = ast.FunctionDef | ast.AsyncFunctionDef
ScopeNode = ast.Module | ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef | ast.Lambda


@dataclass(frozen=True, slots=True)
class Binding:
    """One way a name gets its meaning in a scope.

    `kind`: "import", "def", "class", "assign", "parameter", "other" (loop target, with, except, …).
    An import has `module` (dotted, without leading dots), `attribute` (None for `import m`) and
    `level` (leading dots). An assignment has `value`, and `unpack` where it is one of several
    targets: the index path into the value.
    """

    kind: str
    node: ast.AST
    value: ast.expr | None = None
    unpack: tuple[int, ...] = ()
    module: str = ""
    attribute: str | None = None
    level: int = 0


@dataclass(slots=True, eq=False)
class Scope:
    """A namespace: module, class body, function or lambda."""

    node: ScopeNode
    parent: Scope | None
    bindings: dict[str, list[Binding]] = field(default_factory=dict)
    globals: set[str] = field(default_factory=set)

    @property
    def is_class(self) -> bool:
        return isinstance(self.node, ast.ClassDef)

    def find(self, name: str) -> tuple[Scope, list[Binding]] | None:
        """The scope that binds `name` as seen from here, by Python's rules."""
        scope: Scope | None = self
        first = True
        while scope is not None:
            skip = scope.is_class and not first
            if not skip and name in scope.bindings and name not in scope.globals:
                return scope, scope.bindings[name]
            first = False
            scope = scope.parent
        return None


@dataclass(frozen=True, slots=True, eq=False)
class Definition:
    """A function or class of a file. `scope` is where it is defined, `inner` its own namespace."""

    module: Module
    node: ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef
    scope: Scope
    inner: Scope
    qualname: str
    parent_class: ast.ClassDef | None = None

    @property
    def name(self) -> str:
        return self.node.name

    @property
    def location(self) -> Location:
        """The `def` or `class` line (not the decorators)."""
        return self.module.name_location(self.node)


class Lines(Sequence[str]):
    """The lines of a text without their ends, cut out of it when asked for: one text takes a third of the
    memory that its lines would."""

    __slots__ = ("_ends", "_text")

    def __init__(self, text: str, lines: Sequence[str]) -> None:
        self._text = text
        self._ends = array("L", accumulate(map(len, lines)))  # without the newlines before

    def __len__(self) -> int:
        return len(self._ends)

    @overload
    def __getitem__(self, index: int) -> str: ...

    @overload
    def __getitem__(self, index: slice) -> list[str]: ...

    def __getitem__(self, index: int | slice) -> str | list[str]:
        if isinstance(index, slice):
            return [self[number] for number in range(*index.indices(len(self)))]
        if index < 0:
            index += len(self._ends)
        if not 0 <= index < len(self._ends):
            raise IndexError(index)
        start = self._ends[index - 1] + index if index else 0
        return self._text[start : self._ends[index] + index]


class Module:
    """A parsed file. `name` is its dotted module name as far as the folder layout tells."""

    def __init__(self, file: Path, display: str, name: str, source: str, tree: ast.Module) -> None:
        self.file = file
        self.path = display
        self.name = name
        self.source = source
        self.tree = tree
        lines = source.split("\n")
        self.lines = Lines(source, lines)
        self.is_package = file.name == "__init__.py"
        self.scope = Scope(tree, None)
        self.definitions: dict[ast.AST, Definition] = {}
        self.lambda_scopes: dict[ast.Lambda, Scope] = {}
        self._ascii = source.isascii()
        _Binder(self, lines).bind()

    @property
    def package(self) -> str:
        return self.name if self.is_package else self.name.rpartition(".")[0]

    def location(self, node: ast.AST) -> Location:
        """1-based, in characters (ast counts UTF-8 bytes)."""
        line: int = getattr(node, "lineno", 1)
        end_line: int = getattr(node, "end_lineno", None) or line
        column = self._column(line, getattr(node, "col_offset", 0))
        end_column = self._column(end_line, getattr(node, "end_col_offset", None) or 0)
        return Location(self.path, line, column, end_line, end_column)

    def name_location(self, node: ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef) -> Location:
        """The name in a `def` or `class` statement."""
        location = self.location(node)
        text = self.lines[location.line - 1] if location.line <= len(self.lines) else ""
        start = text.find(node.name, location.column - 1)
        column = start + 1 if start >= 0 else location.column
        return Location(self.path, location.line, column, location.line, column + len(node.name))

    def segment(self, node: ast.AST) -> str:
        """Source text of a node on one line."""
        location = self.location(node)
        if location.end_line == location.line and location.line <= len(self.lines):
            return self.lines[location.line - 1][location.column - 1 : location.end_column - 1]
        first, *rest = self.lines[location.line - 1 : location.end_line] or [""]
        if rest:
            rest[-1] = rest[-1][: location.end_column - 1]
        return " ".join(" ".join([first[location.column - 1 :], *rest]).split())

    def _column(self, line: int, offset: int) -> int:
        if self._ascii or line > len(self.lines):
            return offset + 1
        return len(self.lines[line - 1].encode("utf-8", "surrogatepass")[:offset].decode("utf-8", "replace")) + 1

    def top_level(self, name: str) -> list[Binding]:
        return self.scope.bindings.get(name, [])

    def mentions(self, name: str, most: int = 1) -> int:
        """How often an identifier stands in the text, comments and strings included; counts up to `most`."""
        # A compiled `\bname\b` takes 70 times as long: it has no literal to search for.
        source = self.source
        count = 0
        at = source.find(name)
        while at >= 0 and count < most:
            end = at + len(name)
            if not (_is_word(source[at - 1 : at]) or _is_word(source[end : end + 1])):
                count += 1
            at = source.find(name, end)
        return count

    def functions(self) -> Iterator[Definition]:
        """Every function at any depth, in source order."""
        for definition in self.definitions.values():
            if not isinstance(definition.node, ast.ClassDef):
                yield definition

    def classes(self) -> Iterator[Definition]:
        for definition in self.definitions.values():
            if isinstance(definition.node, ast.ClassDef):
                yield definition


def _is_word(character: str) -> bool:
    return character == "_" or character.isalnum()


_DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
_BINDING = (
    ast.Assign,
    ast.AnnAssign,
    ast.AugAssign,
    ast.For,
    ast.AsyncFor,
    ast.With,
    ast.AsyncWith,
    ast.Import,
    ast.ImportFrom,
    ast.Global,
    ast.Nonlocal,
)
_Pending = tuple[Scope, list[ast.stmt], str, ast.ClassDef | None]


class _Binder:
    """One pass over the statements of a file that fills its scopes (explicit stacks, so that deep nesting
    can't exhaust Python's). Expressions are entered only on lines whose text may hold a lambda, a
    comprehension or an assignment expression: nothing else in an expression binds names."""

    def __init__(self, module: Module, lines: Sequence[str]) -> None:
        self.module = module
        self.marked = {
            number for number, line in enumerate(lines, 1) if "for" in line or "lambda" in line or ":=" in line
        }

    def bind(self) -> None:
        module = self.module
        pending: list[_Pending] = [(module.scope, module.tree.body, "", None)]
        while pending:
            scope, body, prefix, owner = pending.pop()
            later: list[_Pending] = []
            stack: list[ast.AST] = list(reversed(body))
            while stack:
                node = stack.pop()
                kind = type(node)
                if kind is ast.ExceptHandler:
                    assert isinstance(node, ast.ExceptHandler)
                    self.statement(scope, node)
                    stack.extend(reversed(node.body))
                    continue
                assert isinstance(node, ast.stmt)
                if kind in _DEFINITIONS:
                    assert isinstance(node, _DEFINITIONS)
                    self.definition(scope, node, prefix, owner, later)
                    continue
                if kind in _BINDING:
                    self.statement(scope, node)
                if hasattr(node, "body") or kind is ast.Match:
                    self.compound(scope, node, stack)
                elif kind is not ast.Pass and self.suspicious(node.lineno, node.end_lineno):
                    self.expressions(scope, node)
            pending.extend(reversed(later))
        # Definitions in source order, whatever order the stack met them in.
        ordered = sorted(module.definitions.items(), key=lambda item: item[1].node.lineno)
        module.definitions = dict(ordered)

    def suspicious(self, first: int, last: int | None) -> bool:
        marked = self.marked
        if last is None or last == first:
            return first in marked
        return any(line in marked for line in range(first, last + 1))

    def definition(
        self,
        scope: Scope,
        node: ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef,
        prefix: str,
        owner: ast.ClassDef | None,
        later: list[_Pending],
    ) -> None:
        inner = Scope(node, scope)
        qualname = prefix + node.name
        self.module.definitions[node] = Definition(self.module, node, scope, inner, qualname, owner)
        is_class = isinstance(node, ast.ClassDef)
        self.add(scope, node.name, Binding("class" if is_class else "def", node))
        first = min([node.lineno, *(d.lineno for d in node.decorator_list)])
        header = self.suspicious(first, node.body[0].lineno)
        if isinstance(node, ast.ClassDef):
            later.append((inner, node.body, qualname + ".", node))
        else:
            self.parameters(inner, node.args)
            later.append((inner, node.body, qualname + ".<locals>.", None))
            for default in (*node.args.defaults, *node.args.kw_defaults) if header else ():
                if default is not None:
                    self.expressions(scope, default)
        for decorator in node.decorator_list if header else ():
            self.expressions(scope, decorator)

    def compound(self, scope: Scope, node: ast.stmt, stack: list[ast.AST]) -> None:
        """A statement with blocks: its header, then its blocks in order."""
        blocks: list[ast.AST] = []
        first = node.end_lineno or node.lineno
        for handler in getattr(node, "handlers", ()) or getattr(node, "cases", ()):
            first = min(first, handler.body[0].lineno)
        body = getattr(node, "body", [])
        if body:
            first = body[0].lineno
        if self.suspicious(node.lineno, first):
            for name, value in ast.iter_fields(node):
                if name in ("body", "orelse", "finalbody", "handlers", "cases"):
                    continue
                for part in value if isinstance(value, list) else [value]:
                    if isinstance(part, ast.AST):
                        self.expressions(scope, part)
        blocks.extend(body)
        blocks.extend(getattr(node, "handlers", ()))
        for case in getattr(node, "cases", ()):
            blocks.extend(case.body)
        blocks.extend(getattr(node, "orelse", ()))
        blocks.extend(getattr(node, "finalbody", ()))
        stack.extend(reversed(blocks))

    def expressions(self, scope: Scope, root: ast.AST) -> None:
        """Names that expressions bind: assignment expressions, comprehensions, lambdas."""
        pending: list[tuple[Scope, ast.AST]] = [(scope, root)]
        while pending:
            here, node = pending.pop()
            if isinstance(node, ast.Lambda):
                inner = Scope(node, here)
                self.module.lambda_scopes[node] = inner
                self.parameters(inner, node.args)
                pending.append((here, node.body))
                continue
            if isinstance(node, (ast.NamedExpr, ast.comprehension)):
                self.statement(here, node)
            pending.extend((here, child) for child in ast.iter_child_nodes(node))

    @staticmethod
    def add(scope: Scope, name: str, binding: Binding) -> None:
        scope.bindings.setdefault(name, []).append(binding)

    def parameters(self, scope: Scope, args: ast.arguments) -> None:
        every = [*args.posonlyargs, *args.args, *args.kwonlyargs]
        every += [a for a in (args.vararg, args.kwarg) if a is not None]
        for arg in every:
            self.add(scope, arg.arg, Binding("parameter", arg))

    def statement(self, scope: Scope, node: ast.AST) -> None:
        if isinstance(node, ast.Import):
            for alias in node.names:
                if alias.asname:
                    self.add(scope, alias.asname, Binding("import", node, module=alias.name))
                else:
                    head = alias.name.partition(".")[0]
                    self.add(scope, head, Binding("import", node, module=head))
        elif isinstance(node, ast.ImportFrom):
            for alias in node.names:
                binding = Binding("import", node, module=node.module or "", attribute=alias.name, level=node.level)
                self.add(scope, alias.asname or alias.name, binding)
        elif isinstance(node, ast.Assign):
            for target in node.targets:
                self.target(scope, target, node.value, (), node)
        elif isinstance(node, (ast.AnnAssign, ast.NamedExpr)):
            self.target(scope, node.target, node.value, (), node)
        elif isinstance(node, ast.AugAssign):
            if isinstance(node.target, ast.Name):
                self.add(scope, node.target.id, Binding("other", node))
        elif isinstance(node, (ast.Global, ast.Nonlocal)):
            scope.globals.update(node.names)
        elif isinstance(node, (ast.For, ast.AsyncFor, ast.comprehension)):
            self.target(scope, node.target, None, (), node)
        elif isinstance(node, (ast.With, ast.AsyncWith)):
            for item in node.items:
                if item.optional_vars is not None:
                    self.target(scope, item.optional_vars, item.context_expr, (-1,), node)
        elif isinstance(node, ast.ExceptHandler) and node.name:
            self.add(scope, node.name, Binding("other", node))

    def target(
        self, scope: Scope, target: ast.expr, value: ast.expr | None, unpack: tuple[int, ...], node: ast.AST
    ) -> None:
        if isinstance(target, ast.Name):
            known = value is not None and -1 not in unpack
            kind = "assign" if known else "other"
            self.add(scope, target.id, Binding(kind, node, value=value if known else None, unpack=unpack))
        elif isinstance(target, (ast.Tuple, ast.List)):
            for i, element in enumerate(target.elts):
                self.target(scope, element, value, (*unpack, i), node)
        elif isinstance(target, ast.Starred):
            self.target(scope, target.value, None, (), node)
