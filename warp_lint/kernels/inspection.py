"""One kernel under one launch context, as the rules see it: graph, reverse pass, replay, defects."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from packaging.version import Version

from warp_lint.findings import Location, Note, Severity
from warp_lint.kernels.adjoint import Adjoint
from warp_lint.kernels.analysis import reader_of, stores_clear
from warp_lint.kernels.conditions import exclusive
from warp_lint.kernels.detect import Options
from warp_lint.kernels.effects import Access, Path
from warp_lint.kernels.graph import Event, Frame, Graph, Loop, Value
from warp_lint.kernels.memory import Hit, Memory
from warp_lint.kernels.replay import Cause, Defect, Replay
from warp_lint.kernels.types import UNKNOWN
from warp_lint.settings import Settings
from warp_lint.syntax.module import Definition
from warp_lint.syntax.project import Project


@dataclass(slots=True)
class Report:
    """What a rule found. `paths`: bits of inputs whose gradient is wrong. `severity` None: the rule's own."""

    code: str
    location: Location
    message: str
    help: str = ""
    notes: tuple[Note, ...] = ()
    paths: int = 0
    severity: Severity | None = None
    context: str = ""
    unsure: bool = False


@dataclass(slots=True)
class CauseGroup:
    """All defects of one cause. `others`: stores that go with it, such as those of a vector's other elements."""

    cause: Cause
    defects: list[Defect] = field(default_factory=list)
    others: list[Event] = field(default_factory=list)

    @property
    def partners(self) -> int:
        mask = 0
        for defect in self.defects:
            mask |= defect.need.partners
        return mask

    @property
    def unsure(self) -> bool:
        return all(defect.need.unsure for defect in self.defects)


class Inspection:
    """Lazy analyses of one graph."""

    def __init__(
        self,
        project: Project,
        graph: Graph,
        options: Options,
        settings: Settings,
        active: Callable[[Path], bool] | None = None,
        useful: Callable[[Path], bool] | None = None,
        aliases: Sequence[frozenset[Path]] = (),
        varied: frozenset[Path] | None = None,
        sizes: Mapping[Path, tuple[int | None, ...]] | None = None,
        zeros: frozenset[Path] = frozenset(),
    ) -> None:
        self.zeros = zeros  # fields of the kernel's struct arguments that hold zero
        self.varied = varied  # arrays whose content depends on an input by now; None: not known
        self.project = project
        self.graph = graph
        self.options = options
        self.settings = settings
        self.memory = Memory(graph, aliases, sizes)
        self.adjoint = Adjoint(graph, self.memory, stores_clear(settings), active, useful)
        self._permuted: dict[int, bool] = {}

    @property
    def definition(self) -> Definition:
        return self.graph.definition

    def before(self, version: str) -> bool:
        """Is the target Warp older than `version`?"""
        return self.settings.target < Version(version)

    @cached_property
    def replay(self) -> Replay:
        return Replay(self.adjoint)

    @cached_property
    def groups(self) -> list[CauseGroup]:
        """Defects by cause, in order of discovery."""
        groups: dict[int, CauseGroup] = {}
        for defect in self.replay.defects():
            if not self._harmless(defect):
                groups.setdefault(defect.cause.index, CauseGroup(defect.cause)).defects.append(defect)
        return list(groups.values())

    def _harmless(self, defect: Defect) -> bool:
        """Defects that change no gradient."""
        if defect.need.clearing and not self._matters_before(defect.need.user):
            return True
        loop = defect.cause.loop
        if defect.cause.kind == "carried" and loop is not None and loop in defect.need.user.loops:
            head = loop.carried.get(defect.cause.name)
            if head is None or self.active(head) or not self.permuted(loop):
                return False
            return not self._reads_variable(defect.need.value, head)
        return self._idempotent(defect)

    def _matters_before(self, store: Value) -> bool:
        """Is the adjoint of what a store replaces used: was the array read or written before in this kernel?"""
        event = store.event
        assert event is not None
        path = self.memory.canonical(event.path)
        return any(
            other is not event
            and self.memory.canonical(other.path) == path
            and (
                bool(set(other.loops) & set(event.loops))
                or (other.time < event.time and not exclusive(other.guards, event.guards))
            )
            for other in self.graph.events
        )

    def permuted(self, loop: Loop) -> bool:
        """A `for` loop whose passes differ only by carried values without derivative, and which only sums:
        its adjoint meets the states of the passes in the other order, and the sum is the same."""
        known = self._permuted.get(loop.id)
        if known is None:
            known = self._permuted[loop.id] = loop.kind == "for" and self._is_permuted(loop)
        return known

    def _is_permuted(self, loop: Loop) -> bool:
        body = self.graph.values[loop.start : loop.end]
        moved: set[int] = set() if loop.variable is None else {loop.variable.id}
        for _ in range(2):
            for value in body:
                if any(argument.id in moved for argument in value.args):
                    moved.add(value.id)
        for head in loop.carried.values():
            back = head.args[1] if len(head.args) > 1 else head
            if not self.active(head) and back.id in moved:
                return False
            if self.active(head) and not self._sums(loop, head, back):
                return False
        for value in body:
            if loop not in value.loops or value.op in ("carry", "loopvar") or not self.live(value):
                continue
            if value.id in moved or any(guard.condition.id in moved for guard in value.guards):
                return False
            store = value.event
            if store is not None and store.access is Access.STORE:
                found = self.memory.offsets(store, store)
                if found.hit is not Hit.SURE or found.passes.get(loop.id) != 0:
                    return False  # several passes may store to one element
        return True

    def _reads_variable(self, value: Value, head: Value) -> bool:
        """Does an adjoint read the variable itself, which the end of the pass has changed by then?"""
        pending, seen = [value], set[int]()
        while pending:
            node = pending.pop()
            if node is head and node is value:
                return True
            if node.id in seen or node.id < head.id:
                continue
            seen.add(node.id)
            if node.op == "arg" and node.args[0] is head:
                return True
            pending.extend(node.args)
        return False

    def _sums(self, loop: Loop, head: Value, back: Value) -> bool:
        """`s += f` with f free of s, also under conditions."""
        pending, seen = [back], set[int]()
        while pending:
            value = pending.pop()
            if value is head or value.id in seen:
                continue
            seen.add(value.id)
            if value.op == "phi":
                pending.extend(value.args[1:])
            elif value.op in ("copy", "join"):
                pending.extend(value.args)
            elif value.op == "call" and value.name in ("add", "sub") and loop in value.loops:
                holding = [argument for argument in value.args if self._holds(argument, head)]
                if len(holding) != 1 or (value.name == "sub" and holding[0] is value.args[1]):
                    return False
                pending.extend(holding)
            else:
                return False
        return True

    def _holds(self, value: Value, head: Value) -> bool:
        pending, seen = [value], set[int]()
        while pending:
            node = pending.pop()
            if node is head:
                return True
            if node.id in seen or node.id < head.id:
                continue
            seen.add(node.id)
            pending.extend(node.args)
        return False

    def _idempotent(self, defect: Defect) -> bool:
        """`a[i] = max(a[i], c)`: the maximum of the result and c picks the same operand again."""
        user, event = defect.need.user, defect.cause.event
        if defect.cause.kind != "store" or event is None or user.name not in ("max", "min") or user.op != "call":
            return False
        first = through(user.args[0]).event
        stored = through(event.value.args[0])
        if event.access is not Access.STORE or event.atomic or first is None:
            return False
        if stored is not user and not (_picks(stored, user.name, user.args[0]) and _same_number(stored, user)):
            return False
        same = self.memory.canonical(first.path) == self.memory.canonical(event.path)
        return same and first.access is Access.READ and self.memory.same_pass(first, event)

    def is_field(self, value: Value) -> bool:
        """Does a component write assign a field of a struct (also of a struct inside it), not a part of a vector?"""
        type = value.args[0].type
        for part in (value.key or ())[:-1]:
            if type.kind != "struct" or type.struct is None:
                return False
            type = reader_of(self.project).fields(type.struct).get(str(part), UNKNOWN)
        return type.kind == "struct"

    # Places

    def location(self, frame: Frame, node: ast.AST) -> Location:
        return frame.module.location(node)

    def text(self, frame: Frame, node: ast.AST) -> str:
        return frame.module.segment(node)

    def statement_line(self, location: Location) -> str:
        return location.path

    def active(self, value: Value) -> int:
        return self.adjoint.act[value.id]

    def live(self, value: Value) -> bool:
        """Does a derivative go through this value to a useful output?"""
        return bool(self.adjoint.act[value.id] and self.adjoint.useful(value))

    def writes(self) -> Iterator[Event]:
        for event in self.graph.events:
            if event.access is not Access.READ:
                yield event

    def reads(self) -> Iterator[Event]:
        for event in self.graph.events:
            if event.access is Access.READ:
                yield event

    def touches_after(self, first: Event, second: Event) -> bool:
        return self.memory.follows(first, second) is Hit.SURE

    def live_in(self, loop: Loop) -> Iterator[Value]:
        """Values in a loop whose adjoint matters."""
        for value in self.graph.values[loop.start : loop.end]:
            if loop in value.loops and value.op not in ("carry", "loopvar") and self.live(value):
                yield value


def _picks(stored: Value, name: str, element: Value) -> bool:
    return stored.op == "call" and stored.name == name and through(stored.args[0]) is through(element)


def _same_number(one: Value, two: Value) -> bool:
    """Are the second operands one constant?"""
    left, right = through(one.args[1]).const, through(two.args[1]).const
    return left is not None and left == right


def through(value: Value) -> Value:
    """The value behind copies."""
    while value.op == "copy" and value.args:
        value = value.args[0]
    return value


def code_text(value: Value, limit: int = 60) -> str:
    """The code that a value comes from, on one line and cut to fit a message."""
    text = " ".join(value.frame.module.segment(value.node).split())
    return text if len(text) <= limit else text[: limit - 1] + "…"


def array_text(event: Event) -> str:
    """`a[i]` as written, for messages."""
    target: ast.AST = event.node
    if isinstance(target, ast.Assign):
        target = target.targets[0]
    elif isinstance(target, (ast.AugAssign, ast.AnnAssign)):
        target = target.target
    return " ".join(event.frame.module.segment(target).split())


def root_frame(frame: Frame) -> Frame:
    while frame.parent is not None:
        frame = frame.parent
    return frame


def call_notes(frame: Frame) -> tuple[Note, ...]:
    """Where an inlined func was called from, innermost first."""
    notes: list[Note] = []
    at: Frame | None = frame
    while at is not None and at.parent is not None and at.call is not None and len(notes) < 3:
        notes.append(Note(at.parent.module.location(at.call), f"called from `{at.parent.function.name}` here"))
        at = at.parent
    return tuple(notes)
