"""What the replay computes differently from the forward pass, and which adjoints are hit by it.

A *cause* is a place that makes replayed values differ: a store over an element that was read, a
loop-carried value, a component write. Taints are sets of causes (integers, one bit per cause), unions over
the primal graph. A need on a tainted value is a defect.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from warp_lint.kernels.adjoint import Adjoint, Need, extremum
from warp_lint.kernels.conditions import exclusive
from warp_lint.kernels.effects import Access
from warp_lint.kernels.graph import Event, Frame, Guard, Key, Loop, Mutation, Value, implied
from warp_lint.kernels.memory import Hit, Memory
from warp_lint.kernels.objects import Relation, contents, relation
from warp_lint.kernels.parts import taint_of
from warp_lint.kernels.unchanged import keeps


@dataclass(slots=True, eq=False)
class Cause:
    """`kind`: "store" (see `event`), "local" (an array created in the kernel), "carried", "result", "before"
    (loop and name), "mutation", "counter" (an atomic's result), "replayed" (a write inside a func that the replay
    executes again)."""

    kind: str
    index: int
    event: Event | None = None
    loop: Loop | None = None
    name: str = ""
    mutation: Mutation | None = None
    value: Value | None = None
    moving: set[Loop] = field(default_factory=set)  # loops in which a store meets what an earlier pass has read


@dataclass(slots=True, eq=False)
class Defect:
    """An adjoint statement reads a value that isn't the one the forward pass used."""

    need: Need
    cause: Cause


_BY_COMPONENT = frozenset(("dot", "length_sq", "cw_mul"))


def first_of(writes: list[Event], read: Event) -> list[Event]:
    """The overwrites to blame: the first one that surely happens, and conditional ones ahead of it. Repairing
    those leaves the later ones no older value to destroy."""
    ordered = sorted(writes, key=lambda write: (write.time < read.time, write.time))
    kept: list[Event] = []
    for write in ordered:
        kept.append(write)
        if implied(write.guards, read.guards):
            break
    return kept


class Replay:
    """Taints of all values of a graph, for one analysis of its reverse pass."""

    def __init__(self, adjoint: Adjoint) -> None:
        self.adjoint = adjoint
        self.graph = adjoint.graph
        self.memory: Memory = adjoint.memory
        self.causes: list[Cause] = []
        self.taint = [0] * len(self.graph.values)
        self._known: dict[tuple[object, ...], int] = {}
        self._frames: dict[int, int] = {}
        self._stale: dict[int, int] = {}
        self._initials = self._initial_values()
        self._sweep()
        if any(loop.kind == "while" for loop in self.graph.loops):
            self._sweep()

    # Causes

    def _cause(self, key: tuple[object, ...], cause: Cause, frame: Frame | None) -> int:
        known = self._known.get(key)
        if known is None:
            cause.index = len(self.causes)
            self.causes.append(cause)
            known = self._known[key] = 1 << cause.index
        while frame is not None:
            # Behind the call, the func ran as a call: what its own reverse pass sees doesn't matter there.
            self._frames[frame.id] = self._frames.get(frame.id, 0) | known
            frame = frame.parent
        return known

    def _loop_cause(self, kind: str, loop: Loop, name: str) -> int:
        return self._cause((kind, loop.id, name), Cause(kind, 0, loop=loop, name=name), loop.frame)

    def _initial_values(self) -> dict[int, list[tuple[Loop, str]]]:
        """Values that a rolled loop overwrites because a carried name held them."""
        found: dict[int, list[tuple[Loop, str]]] = {}
        for loop in self.graph.loops:
            for name, head in loop.carried.items():
                if head.cell is None and len(head.args) > 1:
                    found.setdefault(head.args[0].id, []).append((loop, name))
        return found

    # Taints

    def _sweep(self) -> None:
        taint = self.taint
        for value in self.graph.values:
            mask = self._of(value)
            taint[value.id] = self._happening(mask, value.guards) if mask and value.guards else mask

    def _happening(self, mask: int, guards: Sequence[Guard]) -> int:
        """Causes without the stores that don't happen where these guards hold."""
        for cause in self.causes_of(mask):
            store = cause.event
            if cause.kind == "store" and store is not None and exclusive(store.guards, guards, cause.moving):
                mask &= ~(1 << cause.index)
        return mask

    def _of(self, value: Value) -> int:
        taint, op = self.taint, value.op
        if op == "load":
            result = self._loaded(value)
        elif op == "carry":
            result = self._carried(value)
        elif op == "after":
            if isinstance(value.extra, Loop):
                return self._loop_cause("result", value.extra, value.name)
            result = 0
        elif op in ("ret", "custom"):
            result = 0
            for argument in value.args:
                result |= taint[argument.id]
            frame = value.extra[0] if op == "custom" else value.extra
            if frame.replay is not None:
                # The replay runs another func, whose result is taken to be the same.
                result = 0
                for argument in frame.arguments.values():
                    result |= taint[argument.id]
            assert isinstance(frame, Frame)
            result &= ~self._inside(frame)
            return result
        elif op == "arg":
            actual = value.args[0]
            late = self.late(actual, value)
            return taint[actual.id] | (self._private(late, value) if late else 0)
        elif op == "call" and isinstance(value.extra, Value) and value.name.startswith("atomic"):
            return self._counter(value)
        elif op == "phi":
            condition, *arms = value.args
            result = taint[condition.id]
            for argument, arm in zip(arms, (True, False), strict=True):
                guards = (*value.guards, Guard(condition, arm, -1))
                result |= self._happening(taint[argument.id], guards) if taint[argument.id] else 0
            return result
        else:
            result = 0
        for argument in value.args:
            result |= taint[argument.id]
        if op == "index" and result:
            result &= ~self._kept(value)
            if result and value.key:
                result &= self._component(value, value.key)
        return result

    def _component(self, value: Value, key: Key) -> int:
        """Taint of a component, which a loop that changes others of the object leaves alone."""
        result = taint_of(self.taint, lambda argument: self.late(argument.args[0], argument), value.args[0], key)
        for index in value.args[1:]:
            result |= self.taint[index.id]
        return result

    def _kept(self, value: Value) -> int:
        """Stores over an element that leave this component of it as it was."""
        load = value.args[0]
        while load.op == "copy" and load.args:
            load = load.args[0]
        if load.op != "load" or value.key is None or any(self.taint[a.id] for a in (*load.args, *value.args[1:])):
            return 0
        result = 0
        for cause in self.causes_of(self._stale.get(load.id, 0)):
            store = cause.event
            if cause.kind != "store" or store is None or store.component or store.access is not Access.STORE:
                continue
            if keeps(store.value.args[0], value.key, load):
                result |= 1 << cause.index
        return result

    def _inside(self, frame: Frame) -> int:
        """Causes that only the reverse pass of an activation (or of those inside it) sees."""
        return self._frames.get(frame.id, 0)

    def _private(self, mask: int, argument: Value) -> int:
        """The same causes, as seen only by the adjoint of the call that receives an argument."""
        result = 0
        for cause in list(self.causes_of(mask)):
            copy = Cause(cause.kind, 0, cause.event, cause.loop, cause.name, cause.mutation, cause.value)
            result |= self._cause(("argument", argument.id, cause.index), copy, self._callee(argument))
        return result

    def _callee(self, argument: Value) -> Frame:
        return argument.frame

    def _carried(self, value: Value) -> int:
        loop = value.extra
        if not isinstance(loop, Loop):  # the loop turned out not to change it
            return self.taint[value.args[0].id]
        if loop.kind != "while":
            return self._loop_cause("carried", loop, value.name)
        result = 0
        for argument in value.args:
            result |= self.taint[argument.id]
        return result

    def _counter(self, value: Value) -> int:
        marker = value.extra
        assert isinstance(marker, Value)
        frame: Frame | None = value.frame
        while frame is not None:
            if frame.replay is not None:
                return 0
            frame = frame.parent
        return self._cause(("counter", value.id), Cause("counter", 0, event=marker.event, value=value), None)

    def _loaded(self, value: Value) -> int:
        known = self._stale.get(value.id)
        if known is not None:
            return known
        event = value.event
        result = 0
        if event is not None and event.local and self.memory.writes_to(event.path):
            # The replay skips the stores of a kernel, and an array on its stack starts afresh.
            result = self._cause(("local", event.path), Cause("local", 0, event=event), None)
        elif event is not None:
            restored = self._restored(event)
            if restored is not None and restored.frame is not event.frame:
                return self.taint[restored.value.args[0].id]
            # What a func stored itself is back when it runs as a call, but not in its own reverse pass.
            frame = event.frame if restored is not None else None
            overwrites: list[Event] = []
            for write in self.memory.writes_to(event.path):
                if self.memory.follows(event, write) is Hit.SURE and not self.memory.idle(write):
                    overwrites.append(write)
                elif self.replayed(write) and self._before(write, event):
                    if write.access is Access.STORE and not self._overwritten_between(write, event):
                        continue
                    result |= self._cause(("replayed", write.time), Cause("replayed", 0, event=write), None)
            for write in first_of(overwrites, event):
                key = ("store", write.time, frame.id if frame is not None else -1)
                found = self._cause(key, Cause("store", 0, event=write), frame)
                for cause in self.causes_of(found):
                    cause.moving |= self._moving(event, write)
                result |= found
        self._stale[value.id] = result
        return result

    def _moving(self, read: Event, write: Event) -> set[Loop]:
        passes = self.memory.offsets(read, write).passes
        return {loop for loop in write.loops if loop not in read.loops or passes.get(loop.id) != 0}

    def _restored(self, read: Event) -> Event | None:
        """The store inside a func that the replay executes again right ahead of a read of its element."""
        for write in self.memory.last_before(read):
            again = write.access is Access.STORE and self.replayed(write) and write.frame.within(read.frame)
            return write if again and self.memory.settles(write, read) else None
        return None

    def _before(self, write: Event, read: Event) -> bool:
        """A write that happens again in the replay, ahead of a read that saw its first effect."""
        if read.frame is write.frame and write.access is not Access.ACCUMULATE:
            return False
        return write.time < read.time and self.memory.same_pass(write, read)

    def _overwritten_between(self, write: Event, read: Event) -> bool:
        """Did the kernel itself write the element after the func did? The replay skips that."""
        return any(
            other.frame.parent is None and self.memory.same_pass(write, other)
            for other in self.memory.writes_to(read.path)
            if write.time < other.time < read.time
        )

    def replayed(self, write: Event) -> bool:
        """Is this write executed again by the replay? Those inside funcs are."""
        if write.frame.parent is None:
            return False
        frame: Frame | None = write.frame
        while frame is not None:
            if frame.replay is not None:
                return False
            frame = frame.parent
        return True

    # Needs

    def late(self, value: Value, user: Value, keys: list[Key] | None = None) -> int:
        """Causes that change a variable (or some components of it) between its use and the adjoint of that use."""
        result = 0
        cell = value.cell
        if cell is not None:
            for mutation in cell.mutations:
                new = mutation.value
                if new.id <= value.id or new is user or exclusive(new.guards, user.guards):
                    continue
                if relation(mutation.key, ()) is Relation.NONE or new.id in self._own(value):
                    continue
                if keys is not None and all(relation(mutation.key, key) is Relation.NONE for key in keys):
                    continue
                result |= self._cause(
                    ("mutation", new.id), Cause("mutation", 0, mutation=mutation, name=cell.name, value=new), None
                )
        carried = value.op == "carry" and isinstance(value.extra, Loop) and value.cell is None
        if carried and value.extra.kind == "while":
            result |= self._loop_cause("carried", value.extra, value.name)
        for loop, name in self._initials.get(value.id, ()):
            if loop not in user.loops and user.id < loop.end:
                result |= self._loop_cause("before", loop, name)
        return result

    def _own(self, value: Value) -> tuple[int, ...]:
        return (value.id,)

    def causes_of(self, mask: int) -> list[Cause]:
        result = []
        while mask:
            low = mask & -mask
            result.append(self.causes[low.bit_length() - 1])
            mask ^= low
        return result

    def defects(self) -> list[Defect]:
        found: list[Defect] = []
        for need in self.adjoint.needs:
            keys = self._elementwise(need)
            mask = self.taint[need.value.id]
            if mask and keys is not None:
                mask = self._components(need.value, keys)
            if mask and need.kind != "condition":
                mask = self._happening(mask, need.user.guards)
            mask |= self.late(need.value, need.user, keys)
            if mask:
                found.extend(Defect(need, cause) for cause in self.causes_of(mask))
        for event in self.graph.events:
            pair = extremum(event.value)
            if pair is not None:
                found.extend(self._changed_extremum(event, pair[1]))
        return found

    def _elementwise(self, need: Need) -> list[Key] | None:
        """Components that matter of a vector times a scalar, if only some of the product are used."""
        user = need.user
        if user.op != "call" or need.value.type.kind != "vec":
            return None
        if user.name in _BY_COMPONENT:
            return self._varied(need)
        if user.name not in ("mul", "div"):
            return None
        if self.adjoint.use[user.id]:
            return None
        if need.value not in user.args or not all(a is need.value or a.type.kind == "float" for a in user.args):
            return None
        return [key for key, mask in self.adjoint.parts.get(user.id, {}).items() if mask] or None

    def _varied(self, need: Need) -> list[Key] | None:
        """The adjoint of a sum over components reads those whose partner has a derivative."""
        shape = need.value.type.shape
        if not shape or shape[0] < 1:
            return None
        partners = [other for other in need.user.args if other is not need.value] or [need.value]
        keys: list[Key] = [
            (part,)
            for part in range(shape[0])
            if any(self.adjoint.act[held.id] for other in partners for held in contents(other, (part,)))
        ]
        return keys if keys and len(keys) < shape[0] else None

    def _components(self, value: Value, keys: list[Key]) -> int:
        result = 0
        for key in keys:
            result |= taint_of(self.taint, lambda argument: self.late(argument.args[0], argument), value, key)
        return result

    def _changed_extremum(self, event: Event, value: Value) -> list[Defect]:
        """The adjoint of an atomic minimum or maximum compares its value with what the element holds by then."""
        act, use = self.adjoint.act[value.id], self.adjoint.useful(event.value)
        if not act or not use:
            return []
        writes = [
            write
            for write in self.memory.writes_to(event.path)
            if write is not event
            and self.memory.follows(event, write) is Hit.SURE
            and not self.memory.idle(write)
            and (write.access is Access.ACCUMULATE or self._used_between(event, write))
        ]
        need = Need(event.value, value, "result", act, use)
        causes = [
            self._cause(("store", write.time, -1), Cause("store", 0, event=write), None)
            for write in first_of(writes, event)
        ]
        return [Defect(need, cause) for mask in causes for cause in self.causes_of(mask)]

    def _used_between(self, event: Event, write: Event) -> bool:
        """A value that is replaced later only has an adjoint if something reads it first."""
        return any(
            event.time < read.time < write.time
            and not self._compared(read)
            and self.adjoint.useful(read.value)
            and self.memory.follows(event, read) is not Hit.NONE
            for read in self.memory.reads_of(event.path)
        )

    def _compared(self, read: Event) -> bool:
        """The read that an atomic minimum or maximum is itself."""
        return any((extremum(write.value) or (None,))[0] is read.value for write in self.memory.writes_to(read.path))
