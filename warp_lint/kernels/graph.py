"""The value graph of one kernel: what symbolic execution produces and every analysis reads.

Values are in execution order (`Value.id`), so one forward or backward sweep visits operands before or
after their users. Rolled loops appear once: their carried values are `carry` nodes.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from warp_lint.findings import Location
from warp_lint.kernels.builtins import Builtin
from warp_lint.kernels.effects import Access, Path
from warp_lint.kernels.types import Type
from warp_lint.syntax.module import Definition, Module

# A component key: literal integers, field names, or linear forms; None: not known.
Key = tuple[Any, ...]


@dataclass(slots=True, eq=False)
class Guard:
    """Execution depends on `condition` being `arm`. Guards of one `branch` exclude each other."""

    condition: Value
    arm: bool
    branch: int
    facts: Any = None  # see `conditions`


@dataclass(slots=True, eq=False)
class Frame:
    """One activation of a function: the kernel itself, or an inlined call of a func."""

    id: int
    function: Definition
    parent: Frame | None = None
    call: ast.AST | None = None
    call_module: Module | None = None
    caller_loops: tuple[Loop, ...] = ()
    custom: Definition | None = None  # its `func_grad`
    replay: Definition | None = None  # its `func_replay`
    arguments: dict[str, Value] = field(default_factory=dict)

    @property
    def module(self) -> Module:
        return self.function.module

    @property
    def depth(self) -> int:
        return 0 if self.parent is None else self.parent.depth + 1

    def within(self, other: Frame) -> bool:
        """Is this activation `other` or inlined below it?"""
        frame: Frame | None = self
        while frame is not None:
            if frame is other:
                return True
            frame = frame.parent
        return False


@dataclass(slots=True, eq=False)
class Exit:
    """A `break`, `return` or `continue` inside a rolled loop. `changed`: carried values that the pass has
    replaced by then."""

    kind: str
    node: ast.AST
    time: int
    guards: tuple[Guard, ...]
    changed: tuple[Value, ...] = ()


@dataclass(slots=True, eq=False)
class Loop:
    """A rolled loop. `bounds` are its range arguments, `step` the literal step of a `range` (else None)."""

    id: int
    kind: str  # "for", "while", "query"
    node: ast.For | ast.While
    frame: Frame
    guards: tuple[Guard, ...]
    start: int
    bounds: tuple[Value, ...] = ()
    step: int | None = 1
    variable: Value | None = None
    condition: Value | None = None
    carried: dict[str, Value] = field(default_factory=dict)
    exits: list[Exit] = field(default_factory=list)
    end: int = 1 << 60


@dataclass(slots=True, eq=False)
class Mutation:
    """A component (or whole-object) write to an object in place. `value` is the new version."""

    value: Value
    key: Key | None
    mode: str  # "set" or "add"
    replaced: tuple[Value, ...] = ()


@dataclass(slots=True, eq=False)
class Cell:
    """The storage of one local object that is changed in place."""

    name: str
    current: Value | None = None
    mutations: list[Mutation] = field(default_factory=list)


class Value:
    """A node of the graph.

    `op`: "const", "opaque", "param", "tid", "call" (builtin `name`, see `entry` and `bound`), "phi" (condition,
    then, else), "copy", "index" (component `key` of operand 0), "load" (see `event`), "carry" (initial, back),
    "after" (value of a rolled loop's name behind the loop), "arg", "ret" (crossing into and out of a func; `prefix`:
    conditions that decide which value returns),
    "mutate" (previous version, new component), "array" (`path`, index prefix in `prefix`), "loopvar",
    "severed" (operands whose derivative is lost; `name` says how), "struct", "tuple", "function", "type".
    """

    __slots__ = (
        "args",
        "bound",
        "cell",
        "const",
        "entry",
        "event",
        "extra",
        "frame",
        "guards",
        "id",
        "key",
        "linear",
        "loops",
        "module",
        "name",
        "node",
        "op",
        "path",
        "prefix",
        "type",
    )

    def __init__(
        self,
        id: int,
        op: str,
        type: Type,
        args: Sequence[Value],
        node: ast.AST,
        frame: Frame,
        loops: tuple[Loop, ...],
        guards: tuple[Guard, ...],
    ) -> None:
        self.id = id
        self.op = op
        self.type = type
        self.args: list[Value] = list(args)
        self.node = node
        self.frame = frame
        self.loops = loops
        self.guards = guards
        self.name = ""
        self.const: Any = None
        self.entry: Builtin | None = None
        self.bound: tuple[int | None, ...] = ()
        self.event: Event | None = None
        self.cell: Cell | None = None
        self.key: Key | None = None
        self.path: Path = ()
        self.prefix: tuple[Value, ...] = ()
        self.linear: Any = None
        self.module: Module | None = None
        self.extra: Any = None

    @property
    def location(self) -> Location:
        return (self.module or self.frame.module).location(self.node)

    def __repr__(self) -> str:
        return f"<{self.id} {self.op} {self.name} {[a.id for a in self.args]}>"


@dataclass(slots=True, eq=False)
class Event:
    """An access to an array element (or row). `value`: what is read, stored or added.

    `indices` are the index values, None entries stand for slices and whole dimensions. `component` is the
    key inside a composite element. `statement` is the assignment or call. `target`: the load of an augmented
    assignment's own element. `atomic`: name of the atomic, if any. `extent`: an access to a block of elements.
    """

    access: Access
    array: Value
    path: Path
    indices: tuple[Value | None, ...]
    value: Value
    node: ast.AST
    time: int
    component: Key = ()
    augmented: str = ""
    atomic: str = ""
    extent: bool = False
    local: bool = False  # an array created in the kernel
    linear: tuple[Any, ...] | None = None
    from_end: bool = False  # has an index that counts from the end, like `a[-1]`

    @property
    def guards(self) -> tuple[Guard, ...]:
        return self.value.guards

    @property
    def loops(self) -> tuple[Loop, ...]:
        return self.value.loops

    @property
    def frame(self) -> Frame:
        return self.value.frame

    @property
    def location(self) -> Location:
        return self.frame.module.location(self.node)


@dataclass(slots=True)
class Graph:
    """Everything symbolic execution found out about one kernel."""

    definition: Definition
    frame: Frame
    values: list[Value] = field(default_factory=list)
    events: list[Event] = field(default_factory=list)
    loops: list[Loop] = field(default_factory=list)
    frames: list[Frame] = field(default_factory=list)
    returns: list[Value] = field(default_factory=list)  # of the root, if it is a func
    arrays: dict[Path, Type] = field(default_factory=dict)
    parameters: dict[str, Value] = field(default_factory=dict)
    unknown: list[str] = field(default_factory=list)
    complete: bool = True
    calls: list[tuple[Frame, ast.AST, Definition, tuple[Value, ...], Value]] = field(default_factory=list)


def implied(weaker: Sequence[Guard], stronger: Sequence[Guard]) -> bool:
    """Does `stronger` holding mean that `weaker` holds?"""
    arms = {(guard.branch, guard.arm) for guard in stronger}
    return all((guard.branch, guard.arm) in arms for guard in weaker)
