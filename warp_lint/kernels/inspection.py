"""One kernel under one launch context, as the rules see it: graph, reverse pass, replay, defects."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from packaging.version import Version

from warp_lint.findings import Location, Note, Severity
from warp_lint.kernels.adjoint import Adjoint
from warp_lint.kernels.analysis import stores_clear
from warp_lint.kernels.detect import Options
from warp_lint.kernels.effects import Access, Path
from warp_lint.kernels.graph import Event, Frame, Graph, Loop, Value
from warp_lint.kernels.memory import Hit, Memory
from warp_lint.kernels.replay import Cause, Defect, Replay
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
    """All defects of one cause."""

    cause: Cause
    defects: list[Defect] = field(default_factory=list)

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
    ) -> None:
        self.project = project
        self.graph = graph
        self.options = options
        self.settings = settings
        self.memory = Memory(graph, aliases)
        self.adjoint = Adjoint(graph, self.memory, stores_clear(settings), active, useful)

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
        """`a[i] = max(a[i], c)`: the maximum of the result and c picks the same operand again."""
        user, event = defect.need.user, defect.cause.event
        if defect.cause.kind != "store" or event is None or user.name not in ("max", "min") or user.op != "call":
            return False
        return through(event.value.args[0]) is user and through(user.args[0]).op == "load"

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


def through(value: Value) -> Value:
    """The value behind copies."""
    while value.op == "copy" and value.args:
        value = value.args[0]
    return value


def array_text(event: Event) -> str:
    """`a[i]` as written, for messages."""
    target: ast.AST = event.node
    if isinstance(target, ast.Assign):
        target = target.targets[0]
    elif isinstance(target, (ast.AugAssign, ast.AnnAssign)):
        target = target.target
    return event.frame.module.segment(target)


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
