"""State of one abstract run: frames, budgets, undo journal, events."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any

from warp_lint.findings import Location
from warp_lint.host.values import (
    MISSING,
    ClassValue,
    FunctionValue,
    Instance,
    ModuleValue,
    Native,
    TapeValue,
    Unknown,
)
from warp_lint.settings import Settings
from warp_lint.syntax.module import Module
from warp_lint.syntax.project import Project
from warp_lint.trace import model

if TYPE_CHECKING:
    from warp_lint.host.lower import Code

ENTRY_STEPS = 300_000
CALL_SHARE = 0.6
CALL_FLOOR = 2_000
CALL_DEPTH = 48
RECURSION = 2
MAX_EVENTS = 60_000
LOOP_STEPS = 6_000
QUIET_LOOP_STEPS = 3_000
EAGER_ELEMENTS = 24


class OverrunError(Exception):
    """A call used up its share of statements."""


class EntryOverError(Exception):
    """The entry's budget is used up."""


class RaisedError(Exception):
    """A `raise` of the interpreted program. `value`: the exception object, if known."""

    def __init__(self, value: Any) -> None:
        super().__init__()
        self.value = value


class StopProgramError(Exception):
    """`sys.exit()` in the interpreted program."""


class LeaveGeneratorError(Exception):
    """The loop over a generator ended early; unwinds the generator's body."""

    def __init__(self, token: object) -> None:
        super().__init__()
        self.token = token


class Frame:
    """An activation: of a function, a class body or a module."""

    __slots__ = (
        "caller",
        "cls",
        "declared",
        "function",
        "kept",
        "lexical",
        "module",
        "node",
        "on_yield",
        "path",
        "receiver",
        "result",
        "returns",
        "user",
        "vars",
    )

    def __init__(self, module: ModuleValue, user: bool, caller: Frame | None) -> None:
        self.module = module
        self.user = user
        self.caller = caller
        self.vars: dict[str, Any] = {}
        self.lexical: Frame | None = None
        self.node: ast.AST = module.module.tree
        self.function: FunctionValue | None = None
        self.cls: ClassValue | None = None
        self.receiver: Any = None
        self.result: Any = None
        self.returns: list[Any] | None = None
        self.on_yield: Callable[[Any], Any] | None = None
        self.kept: tuple[model.Guard, ...] = ()
        self.declared: dict[str, str] | None = None
        self.path: tuple[Location, ...] | None = None


class Machine:
    """Everything an abstract run changes. One machine serves all entries of a project: module
    namespaces are shared, and each entry's changes to them are undone when it ends."""

    def __init__(self, project: Project, settings: Settings, user: Callable[[Module], bool]) -> None:
        self.project = project
        self.settings = settings
        self._is_user = user
        self._user: dict[Module, bool] = {}
        self.modules: dict[Module, ModuleValue] = {}
        self.codes: dict[ast.AST, Code] = {}
        self.code_owners: dict[Module, list[ast.AST]] = {}
        self.sink = model.Trace(Location("", 1, 1, 1, 1))
        self.trace = self.sink
        self.roots: dict[int, model.Root] = {}
        self.tape_table: dict[int, model.Tape] = {}
        self.counter = 0
        self.locations: dict[ast.AST, Location] = {}
        self.texts: dict[ast.AST, str] = {}
        self.remarks: dict[tuple[Module, int], str] = {}
        self.effects: dict[Any, Any] = {}
        self.outside: dict[str, list[tuple[Module, ast.Assign]]] = {}  # assignments to attributes, by name
        self.reached: set[ast.AST] = set()
        self.called: set[ast.AST] = set()
        self.forced: dict[str, bool] = {}
        self.instances_of: dict[ast.AST, list[Any]] = {}
        self.native_codes: dict[ast.AST, Any] = {}
        self.config: dict[str, Any] = {}
        self.annotation_kinds: dict[ast.AST, Any] = {}
        self.specialised: dict[Any, int] = {}
        self.namespaces: dict[str, ModuleValue] = {}
        self.followed: dict[str, bool] = {}
        self.blocks: dict[Module, Callable[[Frame], int | None]] = {}
        self.late: set[ast.AST] = set()
        self.externals: dict[str, Unknown] = {}
        self.entry_instances: dict[Any, Any] = {}
        self.frame: Frame = None  # type: ignore[assignment]
        self.reset()

    def reset(self) -> None:
        """Before an entry."""
        self.steps = 0
        self.limit = ENTRY_STEPS
        self.hard_limit = ENTRY_STEPS
        self.depth = 0
        self.journal: list[tuple[int, Any, Any, Any]] = []
        self.guards: tuple[model.Guard, ...] = ()
        self.loops: tuple[model.LoopStep, ...] = ()
        self.tapes: list[TapeValue] = []
        self.assumed = 0
        self.try_depth = 0
        self.active: dict[ast.AST, int] = {}
        self.branch_ids: dict[Any, int] = {}
        self.truths: dict[Unknown, bool] = {}
        self.loop_count = 0
        self.loop_breaks = 0  # arms of unknown branches that left a loop
        self.torch_calls: list[tuple[Any, Any, int]] = []
        self.default_factories: dict[int, tuple[Any, Any]] = {}  # defaultdicts, by identity
        self.captures: list[tuple[int, int, int]] = []
        self.graphs: list[Native] = []
        self.container_ids: dict[int, int] = {}
        self.kept_containers: list[Any] = []  # keeps identities from being used again

    def forget(self, module: Module) -> None:
        """Drop the compiled form of a module's functions; they are compiled again if they are called."""
        for node in self.code_owners.pop(module, ()):
            del self.codes[node]
        self.blocks.pop(module, None)

    # Identities

    def fresh(self) -> int:
        self.counter += 1
        return self.counter

    def instance(self, cls: ClassValue | None, name: str = "") -> Instance:
        return Instance(cls, self.fresh(), name)

    def native(self, kind: str, name: str = "", **state: Any) -> Native:
        return Native(kind, self.fresh(), name, state)

    def symbol(self, unknown: Unknown) -> str:
        base = unknown.base
        if not base.tag:
            base.tag = f"{base.text or 'unknown'}#{self.fresh()}"
        return base.tag

    def is_user(self, module: Module) -> bool:
        found = self._user.get(module)
        if found is None:
            found = self._user[module] = self._is_user(module)
        return found

    # Places

    def location(self, module: Module, node: ast.AST) -> Location:
        found = self.locations.get(node)
        if found is None:
            if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
                found = module.name_location(node)
            else:
                found = module.location(node)
            self.locations[node] = found
        return found

    def text(self, module: Module, node: ast.AST) -> str:
        found = self.texts.get(node)
        if found is None:
            found = module.segment(node)
            if len(found) > 200:
                found = found[:197] + "..."
            self.texts[node] = found
        return found

    def _path(self, frame: Frame) -> tuple[Location, ...]:
        if frame.path is None:
            caller = frame.caller
            if caller is None:
                frame.path = ()
            else:
                base = self._path(caller)
                if caller.user:
                    base = (*base, self.location(caller.module.module, caller.node))
                frame.path = base
        return frame.path

    def where(self) -> tuple[Location, tuple[Location, ...], Location | None, str]:
        """Location, call path, library place and text of what happens now."""
        frame: Frame = self.frame
        if frame.user:
            module = frame.module.module
            return self.location(module, frame.node), self._path(frame), None, self.text(module, frame.node)
        inner = self.location(frame.module.module, frame.node)
        outer: Frame | None = frame
        while outer is not None and not outer.user:
            outer = outer.caller
        if outer is None:
            return inner, (), None, self.text(frame.module.module, frame.node)
        module = outer.module.module
        return self.location(module, outer.node), self._path(outer), inner, self.text(module, outer.node)

    def remark(self) -> str:
        """Comments on the lines of the current user statement and directly above it."""
        frame = self._user_frame()
        lines = frame.module.module.lines
        first = getattr(frame.node, "lineno", 1) - 1
        last = getattr(frame.node, "end_lineno", None) or first + 1
        found = [line.partition("#")[2] for line in lines[first:last]]
        while first > 0 and lines[first - 1].lstrip().startswith("#"):
            first -= 1
            found.append(lines[first])
        return " ".join(found)

    def function_remark(self) -> str:
        """Comments and docstrings of the innermost user function, or of the file's top level."""
        frame = self._user_frame()
        module = frame.module.module
        line = getattr(frame.node, "lineno", 1)
        known = self.remarks.get((module, line))
        if known is not None:
            return known
        body: ast.AST = module.tree
        for definition in module.functions():
            if definition.node.lineno <= line <= (definition.node.end_lineno or 0):
                body = definition.node  # the innermost comes last
        docstring = ast.get_docstring(body) if isinstance(body, (ast.Module, ast.FunctionDef)) else None
        first = getattr(body, "lineno", 1) - 1
        last = getattr(body, "end_lineno", None) or len(module.lines)
        comments = (text.partition("#")[2] for text in module.lines[first:last] if "#" in text)
        found = self.remarks[module, line] = " ".join([docstring or "", *comments])
        return found

    def _user_frame(self) -> Frame:
        frame: Frame = self.frame
        while not frame.user and frame.caller is not None:
            frame = frame.caller
        return frame

    def give_up(self, reason: str) -> None:
        """Something isn't followed: noted once per place and reason."""
        if self.trace is self.sink or self.frame is None:
            return
        location = self.where()[0]
        entry = (location, reason)
        if entry not in self.trace.incomplete and len(self.trace.incomplete) < 200:
            self.trace.incomplete.append(entry)
        self.trace.complete = False

    # Events

    def emit(self, event: type[model.Event], /, **fields: Any) -> None:
        trace = self.trace
        if trace is self.sink:
            return
        if len(trace.events) >= MAX_EVENTS:
            raise EntryOverError
        location, path, library, text = self.where()
        for value in fields.values():
            self._register(value)
        trace.events.append(
            event(
                location=location,
                call_path=path,
                library=library,
                tape=self.tapes[-1].id if self.tapes else None,
                loops=self.loops,
                guards=self.guards,
                text=text,
                assumed=self.assumed > 0,
                **fields,
            )
        )

    def _register(self, value: Any) -> None:
        if isinstance(value, model.Array):
            self._register_array(value)
        elif isinstance(value, tuple):
            for element in value:
                if isinstance(element, (model.Array, tuple)):
                    self._register(element)
        elif isinstance(value, dict):
            for element in value.values():
                if isinstance(element, (model.Array, tuple)):
                    self._register(element)

    def _register_array(self, array: model.Array) -> None:
        roots = self.trace.roots
        for root in (array.region.root, array.grad_root):
            if root is not None and root not in roots:
                roots[root] = self.roots[root]
        if array.gradient_of is not None and array.gradient_of.region.root not in roots:
            self._register_array(array.gradient_of)

    def use_tape(self, tape: TapeValue) -> int:
        self.trace.tapes[tape.id] = self.tape_table[tape.id]
        return tape.id

    def new_tape(self, name: str) -> TapeValue:
        location = self.where()[0]
        tape = TapeValue(self.fresh(), location, name or "tape")
        self.tape_table[tape.id] = model.Tape(tape.id, location, tape.name)
        self.use_tape(tape)
        return tape

    # Budget

    def overrun(self) -> None:
        if self.steps > self.hard_limit:
            raise EntryOverError
        raise OverrunError

    # Journal: kinds 0 dict entry, 1 attribute, 2 list append, 3 list item, 4 whole list, 5 whole dict

    def put(self, container: dict[Any, Any], key: Any, value: Any) -> None:
        self.journal.append((0, container, key, container.get(key, MISSING)))
        container[key] = value

    def remove(self, container: dict[Any, Any], key: Any) -> None:
        if key in container:
            self.keep_dict(container)
            del container[key]

    def set(self, target: Any, attribute: str, value: Any) -> None:
        self.journal.append((1, target, attribute, getattr(target, attribute)))
        setattr(target, attribute, value)

    def append(self, target: list[Any], value: Any) -> None:
        self.journal.append((2, target, len(target), None))
        target.append(value)

    def put_item(self, target: list[Any], index: int, value: Any) -> None:
        self.journal.append((3, target, index, target[index]))
        target[index] = value

    def keep_list(self, target: list[Any]) -> None:
        self.journal.append((4, target, None, list(target)))

    def keep_dict(self, target: dict[Any, Any]) -> None:
        self.journal.append((5, target, None, dict(target)))

    def undo(self, mark: int) -> None:
        journal = self.journal
        while len(journal) > mark:
            kind, container, key, old = journal.pop()
            if kind == 0:
                if old is MISSING:
                    container.pop(key, None)
                else:
                    container[key] = old
            elif kind == 1:
                setattr(container, key, old)
            elif kind == 2:
                del container[key:]
            elif kind == 3:
                if key < len(container):
                    container[key] = old
            elif kind == 4:
                container[:] = old
            else:
                container.clear()
                container.update(old)

    def touched(self, mark: int) -> Iterable[tuple[int, Any, Any, Any]]:
        """Journal entries since `mark`."""
        return self.journal[mark:]
