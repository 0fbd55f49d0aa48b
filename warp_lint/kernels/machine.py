"""State of the symbolic execution of one kernel: environment, guards, loops, and the making of values."""

from __future__ import annotations

import ast
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from packaging.version import Version

from warp_lint.kernels import types as t
from warp_lint.kernels.detect import Options, companion
from warp_lint.kernels.effects import Access, Path
from warp_lint.kernels.graph import Cell, Event, Frame, Graph, Guard, Key, Loop, Mutation, Value
from warp_lint.kernels.linear import linear
from warp_lint.kernels.objects import component_type, contents
from warp_lint.kernels.types import Type, TypeReader
from warp_lint.syntax.module import Definition, Scope
from warp_lint.syntax.project import Project

MAX_VALUES = 60_000
MAX_DEPTH = 24


class Budget(Exception):
    """The kernel is too large to execute symbolically."""


@dataclass(slots=True)
class Place:
    """What an lvalue or access chain designates: an array element (or row), or a component of a local object."""

    type: Type
    array: Value | None = None
    indices: tuple[Value | None, ...] = ()
    key: Key = ()
    name: str = ""
    value: Value | None = None
    adjoint: bool = False
    dynamic: tuple[Value, ...] = ()  # index values inside the key that are not literal
    holder: Value | None = None  # the struct, of a field of a parameter that `value` stands for


@dataclass(slots=True)
class Context:
    """What breaks and continues of the innermost loop need: environments to merge, guards to restore."""

    loop: Loop | None  # None: an unrolled loop
    continues: list[tuple[dict[str, Value], dict[int, tuple[Cell, Value | None]]]] = field(default_factory=list)
    breaks: list[tuple[dict[str, Value], dict[int, tuple[Cell, Value | None]]]] = field(default_factory=list)


class Machine:
    """Base of the executor: owns the graph."""

    def __init__(
        self,
        project: Project,
        reader: TypeReader,
        definition: Definition,
        options: Options,
        scalars: Mapping[Path, Any],
        target: Version,
    ) -> None:
        self.scalars = scalars
        self.target = target
        self.project = project
        self.reader = reader
        self.options = options
        self.frame = Frame(0, definition)
        self.graph = Graph(definition, self.frame)
        self.graph.frames.append(self.frame)
        self.env: dict[str, Value] = {}
        self.guards: tuple[Guard, ...] = ()
        self.loops: tuple[Loop, ...] = ()
        self.contexts: list[Context] = []
        self.journals: list[dict[int, tuple[Cell, Value | None]]] = []
        self.stores: dict[Path, int] = {}
        self.returned: list[tuple[Value | None, tuple[Guard, ...]]] = []
        self.branches = 0
        self.locals = 0
        self._captured: dict[ast.AST, Value] = {}
        self._written: dict[ast.AST, tuple[dict[str, None], dict[str, None], set[str]]] = {}
        self._companions: dict[tuple[Definition, str], Definition | None] = {}

    # Values

    def make(self, op: str, type: Type, args: Sequence[Value], node: ast.AST) -> Value:
        values = self.graph.values
        if len(values) >= MAX_VALUES:
            raise Budget
        value = Value(len(values), op, type, args, node, self.frame, self.loops, self.guards)
        values.append(value)
        return value

    def const(self, value: Any, node: ast.AST) -> Value:
        type = t.UNKNOWN
        if isinstance(value, bool):
            type = t.BOOL
        elif isinstance(value, int):
            type = t.INT
        elif isinstance(value, float):
            type = t.FLOAT
        elif isinstance(value, str):
            type = Type("string")
        result = self.make("const", type, (), node)
        result.const = value
        return result

    def opaque(self, node: ast.AST, args: Sequence[Value] = (), type: Type = t.UNKNOWN, why: str = "") -> Value:
        """A value of unknown origin; with operands, a nonlinear function of them."""
        if why:
            self.note(why)
        return self.make("opaque", type, args, node)

    def note(self, why: str) -> None:
        self.graph.complete = False
        if why not in self.graph.unknown and len(self.graph.unknown) < 20:
            self.graph.unknown.append(why)

    @property
    def scope(self) -> Scope:
        return self.frame.function.inner

    def current(self, value: Value) -> Value:
        """The newest version of an object."""
        cell = value.cell
        return cell.current if cell is not None and cell.current is not None else value

    # Parameters

    def parameter(self, path: Path, type: Type, node: ast.AST) -> Value:
        """A parameter of the root, or a member of a struct parameter."""
        op = "array" if type.kind == "array" else "param"
        value = self.make(op, type, (), node)
        value.path = path
        value.name = path[-1]
        value.const = self.scalars.get(path)
        if op == "array":
            self.graph.arrays.setdefault(path, type)
        return value

    def field(self, owner: Value, name: str, node: ast.AST) -> Value:
        """Member of a struct value."""
        struct = owner.type.struct
        layout = self.reader.fields(struct) if struct is not None else {}
        type = layout.get(name, t.UNKNOWN)
        source = owner
        while source.op in ("copy", "arg") and source.cell is None:
            source = source.args[0]
        if source.op != "param":
            held = contents(owner, (name,))
            if len(held) == 1 and held[0].op == "param" and held[0].type == owner.type:
                source = held[0]  # a field that nothing has assigned
        if source.op == "param":
            members: dict[str, Value] = source.extra if source.extra is not None else {}
            source.extra = members
            if name not in members:
                members[name] = self.parameter((*source.path, name), type, node)
            return members[name]
        if type.kind == "array" or type.kind in ("handle",):
            return self.array_member(owner, name, type, node)
        result = self.make("index", type, (owner,), node)
        result.key = (name,)
        result.name = name
        return result

    def array_member(self, owner: Value, name: str, type: Type, node: ast.AST) -> Value:
        """An array held by a struct that is not plainly a parameter: follow where the struct came from."""
        held = contents(owner, (name,))
        if len(held) == 1:
            only = held[0]
            if only.op == "array":
                return only
            if only.op == "param" and only.type.kind == "struct":
                return self.field(only, name, node)
            if only.op == "load" and only.event is not None and only.event.array.path:
                result = self.make("array", type, (), node)
                result.path = (*only.event.path, name)
                result.prefix = tuple(i for i in only.event.indices if i is not None)
                self.graph.arrays.setdefault(result.path, type)
                return result
        result = self.make("array" if type.kind == "array" else "opaque", type, (), node)
        return result

    # Objects

    def read(self, owner: Value, key: Key, type: Type, node: ast.AST, dynamic: tuple[Value, ...] = ()) -> Value:
        """A copy of a component."""
        result = self.make("index", type, (owner, *dynamic), node)
        result.key = key
        return result

    def mutate(self, place: Place, value: Value, mode: str, node: ast.AST) -> Value:
        """Write a component (or, with an empty key, the whole) of a local object in place."""
        owner = self.current(place.value) if place.value is not None else value
        replaced = tuple(contents(owner, place.key)) if mode == "set" else ()
        new = self.make("mutate", owner.type, (owner, value, *place.dynamic), node)
        new.key = place.key
        new.name = mode
        # The option makes new variables of vectors and matrices, not for `t.p =`, `t.q =` of a transformation.
        copies = owner.type.kind not in ("struct", "tile") and bool(place.key) and place.key[0] not in ("p", "q")
        if self.options.component_overwrites and mode == "set" and copies:
            new.extra = "copy"
            if place.name:
                self.env[place.name] = new
            return new
        cell = owner.cell
        if cell is None:
            cell = owner.cell = Cell(place.name or "object", owner)
        new.cell = cell
        self.journal(cell)
        cell.mutations.append(Mutation(new, place.key, mode, replaced))
        cell.current = new
        if owner.type.kind == "tile":
            self._change_base(owner, new, mode, node)
        return new

    def share(self, value: Value, handle: Value) -> None:
        """Another name of one tile."""
        if value.cell is None:
            value.cell = Cell("tile", value)
        handle.cell = value.cell
        self.journal(value.cell)
        value.cell.current = handle

    def _change_base(self, view: Value, new: Value, mode: str, node: ast.AST) -> None:
        """A view of a tile was changed: so was the tile."""
        while view.op in ("mutate", "copy", "ret") and view.args:
            view = view.args[0]
        if view.op == "call" and view.name == "tile_view":
            base = self.current(view.args[0])
            name = next((name for name, held in self.env.items() if held is view.args[0] or held is base), "")
            self.mutate(Place(base.type, key=(None,), name=name, value=base), new, mode, node)

    def journal(self, cell: Cell) -> None:
        for journal in self.journals:
            journal.setdefault(id(cell), (cell, cell.current))

    # Arrays

    def load(self, place: Place, node: ast.AST) -> Value:
        """Read an array element, or make the view of a row or slice."""
        array = place.array
        assert array is not None
        ndim = array.type.ndim
        sliced = any(i is not None and i.op == "slice" for i in place.indices)
        if array.path and ndim and (sliced or len(place.indices) < ndim) and not place.key:
            return self.view(array, place.indices, node)
        place.indices = without_slices(place.indices)
        type = place.type
        if place.indices and all(i is None for i in place.indices) and not place.key:
            return self.view(array, place.indices, node)
        value = self.make("load", type, [*(i for i in place.indices if i is not None), *place.dynamic], node)
        value.path = array.path
        value.name = array.name
        event = Event(
            Access.READ,
            array,
            array.path,
            place.indices,
            value,
            node,
            value.id,
            place.key,
            local=array.extra == "local",
        )
        value.event = event
        value.extra = self.stores.get(array.path, 0)
        self.graph.events.append(event)
        return value

    def view(self, array: Value, indices: tuple[Value | None, ...], node: ast.AST) -> Value:
        result = self.make("array", array.type, (), node)
        result.path = array.path
        result.name = array.name
        result.prefix = tuple(i for i in indices if i is not None) if None not in indices else ()
        result.extra = array.extra
        if None in indices:
            result.prefix = ()
            result.extra = array.extra or "slice"
        return result

    def write(
        self, place: Place, value: Value, access: Access, node: ast.AST, augmented: str = "", atomic: str = ""
    ) -> Value:
        """A store to (or accumulation into) an array element. Returns the event's own node in the graph."""
        array = place.array
        assert array is not None
        place.indices = without_slices(place.indices)
        used = [i for i in place.indices if i is not None]
        marker = self.make("store", t.NONE, [value, *used, *place.dynamic], node)
        marker.path = array.path
        event = Event(
            access,
            array,
            array.path,
            place.indices,
            marker,
            node,
            marker.id,
            place.key,
            augmented,
            atomic,
            local=array.extra == "local",
        )
        marker.event = event
        self.stores[array.path] = self.stores.get(array.path, 0) + 1
        self.graph.events.append(event)
        if not array.path:
            self.note("store to an array that is not known")
        return marker

    # Guards

    def new_branch(self) -> int:
        self.branches += 1
        return self.branches

    def index_key(self, index: Value | None, size: int | None = None) -> object:
        """Key element of an index value."""
        if index is None:
            return None
        if isinstance(index.const, int) and not isinstance(index.const, bool):
            number = int(index.const)
            return number + size if number < 0 and size and size > 0 else number
        form = linear(index)
        if not form.terms:
            return form.constant
        return form

    def place_type(self, type: Type, key: Key) -> Type:
        """Type of a component of a (possibly nested) object."""
        for at, part in enumerate(key):
            if type.kind == "struct" and type.struct is not None:
                type = self.reader.fields(type.struct).get(str(part), t.UNKNOWN)
            elif type.kind == "mat":
                return component_type(type, key[at:])
            else:
                type = component_type(type, (part,))
        return type

    def companion(self, function: Definition, kind: str) -> Definition | None:
        cached = (function, kind)
        if cached not in self._companions:
            self._companions[cached] = companion(self.project, function, kind)
        return self._companions[cached]

    # Implemented by the layers above.

    def evaluate(self, node: ast.expr) -> Value:
        raise NotImplementedError

    def call(self, node: ast.Call) -> Value:
        raise NotImplementedError

    def inline(self, function: Definition, args: list[Value], keywords: dict[str, Value], node: ast.AST) -> Value:
        raise NotImplementedError

    def builtin(self, name: str, args: list[Value], keywords: dict[str, Value], node: ast.AST) -> Value:
        raise NotImplementedError


def without_slices(indices: tuple[Value | None, ...]) -> tuple[Value | None, ...]:
    """A dimension of which a slice is left isn't indexed."""
    if any(i is not None and i.op == "slice" for i in indices):
        return tuple(None if i is not None and i.op == "slice" else i for i in indices)
    return indices


def is_number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool) and not math.isnan(value)
