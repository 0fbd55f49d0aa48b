"""Activity, usefulness and adjoint needs over a value graph (the to-be-recorded analysis).

Sets of array paths are integers with one bit per path, so that one pass answers for all of them.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeVar

from warp_lint.kernels.builtins import RESULT, Gradient
from warp_lint.kernels.effects import Access, Path
from warp_lint.kernels.graph import Event, Graph, Guard, Key, Loop, Value
from warp_lint.kernels.memory import Memory
from warp_lint.kernels.objects import Relation, constructed, relation

RETURN: Path = ("return",)
_Item = TypeVar("_Item")


@dataclass(slots=True, eq=False)
class Need:
    """An adjoint statement (that of `user`) reads the primal of `value`.

    `partners`: inputs whose derivative goes through that statement; `outputs`: where it goes to.
    `kind` as in `effects.Need`. `unsure`: the operation, or whether the values are floating point, isn't known.
    """

    user: Value
    value: Value
    kind: str
    partners: int
    outputs: int
    unsure: bool = False
    clearing: bool = False  # only for the adjoint that a plain store clears


class Adjoint:
    """The reverse pass of one graph, given which array paths carry a gradient and which results matter."""

    def __init__(
        self,
        graph: Graph,
        memory: Memory,
        clears: bool = True,
        active: Callable[[Path], bool] | None = None,
        useful: Callable[[Path], bool] | None = None,
    ) -> None:
        self.graph = graph
        self.memory = memory
        self.clears = clears  # a plain store clears its destination's adjoint
        self.is_active = active or (lambda path: True)
        self.is_useful = useful or (lambda path: True)
        self.bits: dict[Path, int] = {}
        count = len(graph.values)
        self.act = [0] * count
        self.use = [0] * count
        self.parts: dict[int, dict[Key, int]] = {}
        self.dead: dict[int, Event | None] = {}
        self._reaching: dict[int, tuple[list[Event], bool]] = {}
        self.custom = _custom_frames(graph)
        self._activity()
        self._usefulness()
        self._needs: list[Need] | None = None

    # Bits

    def bit(self, path: Path) -> int:
        known = self.bits.get(path)
        if known is None:
            known = self.bits[path] = 1 << len(self.bits)
        return known

    def paths(self, mask: int) -> frozenset[Path]:
        return frozenset(path for path, bit in self.bits.items() if mask & bit)

    def reaching(self, event: Event) -> tuple[list[Event], bool]:
        known = self._reaching.get(event.time)
        if known is None:
            known = self._reaching[event.time] = self.memory.reaching(event)
        return known

    def carries(self, event: Event) -> bool:
        """Does the accessed array carry a gradient?"""
        element = event.array.type.element
        if element is not None and not element.floating:
            return False
        return event.local or self.is_active(event.path)

    # Forward

    def _activity(self) -> None:
        self._forward()
        if self.graph.loops:
            for _ in range(4):
                before = list(self.act)
                self._forward()
                if before == self.act:
                    break

    def _forward(self) -> None:
        act = self.act
        for value in self.graph.values:
            act[value.id] = self._derivative(value)

    def _derivative(self, value: Value) -> int:
        act, op = self.act, value.op
        if not value.type.floating and op not in ("store", "tuple", "opaque", "call"):
            return 0
        if op == "call":
            return self._call(value)
        if op in ("const", "tid", "loopvar", "array", "function", "type", "module"):
            return 0
        if op == "param":
            root = value.path[0]
            if self.graph.returns and root in self.graph.parameters and value.type.kind != "struct":
                return self.bit(value.path)
            if self.graph.returns and value.type.kind == "struct":
                return self.bit(value.path)
            return 0
        if op == "load":
            return self._load(value)
        if op == "phi":
            return act[value.args[1].id] | act[value.args[2].id]
        if op == "severed":
            return 0
        if op == "mutate":
            return act[value.args[0].id] | act[value.args[1].id]
        if op == "index":
            return self._component(value)
        if op == "store":
            return act[value.args[0].id]
        if op == "custom":
            return self._custom(value)
        result = 0
        for argument in value.args:
            result |= act[argument.id]
        return result

    def _component(self, value: Value) -> int:
        from warp_lint.kernels.objects import contents

        result = 0
        for held in contents(value.args[0], value.key or ()):
            result |= self.act[held.id]
        return result

    def _call(self, value: Value) -> int:
        entry = value.entry
        if entry is None:
            return 0
        result = 0
        for argument, position in zip(value.args, value.bound, strict=False):
            if position is None or position >= len(entry.operands):
                continue
            if entry.operands[position].gradient is Gradient.EXACT:
                result |= self.act[argument.id]
        if value.type.kind in ("int", "bool"):
            return 0
        return result

    def _custom(self, value: Value) -> int:
        result = 0
        for argument in self._receivers(value):
            result |= self.act[argument.id]
        return result

    @staticmethod
    def _receivers(value: Value) -> list[Value]:
        """Values whose adjoint a hand-written gradient adds to: arguments, or the results for array arguments."""
        frame, gradient, count = value.extra
        found: list[Value] = []
        for name, argument in zip(frame.arguments, value.args[:count], strict=False):
            if name in gradient.written:
                found.extend(value.args[count:] if argument.op == "array" else [argument])
        return found

    def _load(self, value: Value) -> int:
        event = value.event
        if event is None or not self.carries(event):
            return 0
        writes, before = self.reaching(event)
        result = self.bit(event.path) if before and not event.local else 0
        for write in writes:
            result |= self.act[write.value.id]
        return result

    # Backward

    def _usefulness(self) -> None:
        for event in self.graph.events:
            if event.access is not Access.READ:
                # Only a plain store clears, so only it can make an earlier write irrelevant.
                self.dead[event.time] = self.memory.dead(event) if self.clears else None
        readers: dict[int, list[Event]] = {}
        for event in self.graph.events:
            if event.access is Access.READ:
                for write in self.reaching(event)[0]:
                    readers.setdefault(write.time, []).append(event)
        self._backward(readers)
        if self.graph.loops or any(r.time < w for w, reads in readers.items() for r in reads):
            for _ in range(4):
                before = list(self.use)
                self._backward(readers)
                if before == self.use:
                    break

    def _backward(self, readers: dict[int, list[Event]]) -> None:
        use, parts = self.use, self.parts
        for value in self.graph.returns:
            use[value.id] |= self.bit(RETURN)
        for value in reversed(self.graph.values):
            op = value.op
            if op == "store":
                event = value.event
                assert event is not None
                if self.carries(event):
                    if self.dead[event.time] is None and not event.local and self.is_useful(event.path):
                        use[value.id] |= self.bit(event.path)
                    for read in readers.get(event.time, ()):
                        use[value.id] |= use[read.value.id]
                if value.name != "exchange":
                    self._to(value.args[0], use[value.id])
                continue
            mask = use[value.id]
            inner = parts.get(value.id)
            if not mask and not inner:
                continue
            if op == "index":
                total = mask
                if value.key is None:
                    self._to(value.args[0], total | _union(inner))
                    continue
                self._to_part(value.args[0], value.key, total)
                for key, part in (inner or {}).items():
                    self._to_part(value.args[0], (*value.key, *key), part)
            elif op == "mutate":
                self._through_mutation(value, mask, inner)
            elif op == "phi":
                for branch in value.args[1:]:
                    self._to(branch, mask)
                    self._spread(branch, inner)
            elif op == "call":
                self._through_call(value, mask, inner)
            elif op == "struct":
                self._through_constructor(value, mask, inner)
            elif op in ("severed", "load"):
                use[value.id] |= _union(inner)
            elif op == "custom":
                for argument in self._receivers(value):
                    self._to(argument, mask | _union(inner))
            elif op not in ("const", "param", "tid", "loopvar", "array"):
                for argument in value.args:
                    self._to(argument, mask)
                    self._spread(argument, inner)

    def _to(self, value: Value, mask: int) -> None:
        self.use[value.id] |= mask

    def _to_part(self, value: Value, key: Key, mask: int) -> None:
        if mask and value.type.is_object:
            held = self.parts.setdefault(value.id, {})
            held[key] = held.get(key, 0) | mask
        else:
            self.use[value.id] |= mask

    def _spread(self, value: Value, inner: dict[Key, int] | None) -> None:
        if inner:
            for key, mask in inner.items():
                self._to_part(value, key, mask)

    def _through_mutation(self, value: Value, mask: int, inner: dict[Key, int] | None) -> None:
        owner, new = value.args[0], value.args[1]
        self._to(owner, mask)
        self._to(new, mask)
        for key, part in (inner or {}).items():
            how = relation(value.key, key)
            inside = key[len(value.key) :] if how is Relation.COVERS and value.key is not None else ()
            if how is not Relation.NONE:
                self._to_part(new, inside, part) if inside else self._to(new, part)
            if how is not Relation.COVERS or value.name == "add":
                self._to_part(owner, key, part)

    def _through_constructor(self, value: Value, mask: int, inner: dict[Key, int] | None) -> None:
        for argument in value.args:
            self._to(argument, mask)
        for key, part in (inner or {}).items():
            arguments = constructed(value, key)
            for argument in value.args if arguments is None else arguments:
                if len(key) > 1 and value.op == "struct":
                    self._to_part(argument, key[1:], part)
                else:
                    self._to(argument, part)

    def _through_call(self, value: Value, mask: int, inner: dict[Key, int] | None) -> None:
        entry = value.entry
        if entry is None:
            return
        if entry.name in ("vector", "matrix", "quaternion", "transformation"):
            self._through_constructor(value, mask, inner)
            return
        total = mask | _union(inner)
        if entry.name == "trace" and value.args and value.args[0].type.kind == "mat":
            shape = value.args[0].type.shape
            if shape and shape[0] > 0:
                for diagonal in range(shape[0]):
                    self._to_part(value.args[0], (diagonal, diagonal), total)
                return
        for argument, position in zip(value.args, value.bound, strict=False):
            if position is None or position >= len(entry.operands):
                continue
            if entry.operands[position].gradient is Gradient.EXACT:
                self._to(argument, total)

    # Needs

    def useful(self, value: Value) -> int:
        return self.use[value.id] | _union(self.parts.get(value.id))

    def part_use(self, value: Value, key: Key | None) -> int:
        """Outputs that the adjoint of one component reaches."""
        result = self.use[value.id]
        for part, mask in self.parts.get(value.id, {}).items():
            if relation(key, part) is not Relation.NONE:
                result |= mask
        return result

    @property
    def needs(self) -> list[Need]:
        if self._needs is None:
            self._needs = list(self._collect())
        return self._needs

    def _collect(self) -> list[Need]:
        found: list[Need] = []
        guards: dict[int, tuple[Guard, Value, int, int, bool]] = {}
        loops: dict[int, tuple[Loop, Value, int, int, bool]] = {}
        for value in self.graph.values:
            if value.frame.id in self.custom and value.op != "store":
                continue
            act, use = self.act[value.id], self.useful(value)
            live = bool(act and use)
            clearing = False
            if value.op == "store":
                event = value.event
                assert event is not None
                plain = event.access is Access.STORE and not event.atomic
                clears = plain and self.carries(event) and self.dead[event.time] is None
                if clears and (use or self.is_useful(event.path)):
                    # The store clears the adjoint of what it replaces: its guards and index matter for that.
                    clearing = not live
                    live, act, use = True, act | self.bit(event.path), use | self.bit(event.path)
            if not live:
                continue
            for guard in value.guards:
                self._merge(guards, id(guard), guard, value, act, use, clearing)
            for loop in value.loops:
                self._merge(loops, loop.id, loop, value, act, use, clearing)
            first = len(found)
            self._of(value, act, use, found)
            unsure = vague(value)
            for need in found[first:] if clearing or unsure else ():
                need.clearing, need.unsure = clearing, need.unsure or unsure
        for guard, user, act, use, clearing in guards.values():
            found.append(Need(user, guard.condition, "condition", act, use, vague(user), clearing))
        for loop, user, act, use, clearing in loops.values():
            for bound in loop.bounds:
                found.append(Need(user, bound, "bound", act, use, vague(user), clearing))
        return found

    @staticmethod
    def _merge(
        table: dict[int, tuple[_Item, Value, int, int, bool]],
        key: int,
        item: _Item,
        user: Value,
        act: int,
        use: int,
        clearing: bool,
    ) -> None:
        known = table.get(key)
        if known is None:
            table[key] = (item, user, act, use, clearing)
        elif known[4] and not clearing:
            table[key] = (item, user, known[2] | act, known[3] | use, False)
        else:
            table[key] = (item, known[1], known[2] | act, known[3] | use, known[4])

    def _of(self, value: Value, act: int, use: int, found: list[Need]) -> None:
        op = value.op
        if op == "call" and value.entry is not None:
            self._operands(value, use, found)
        elif op == "phi":
            found.append(Need(value, value.args[0], "condition", act, use))
        elif op == "ret":
            for condition in value.prefix:
                found.append(Need(value, condition, "condition", act, use))
        elif op in ("load", "store"):
            pair = extremum(value)
            if pair is not None and self.act[pair[1].id]:
                found.append(Need(value, pair[1], "nonlinear", act, use))  # compared with the element
            for index in value.args[1 if op == "store" else 0 :]:
                if index.type.kind != "tuple":
                    found.append(Need(value, index, "index", act, use))
        elif op in ("index", "mutate"):
            for index in value.args[1 if op == "index" else 2 :]:
                found.append(Need(value, index, "index", act, use))
        elif op == "custom":
            frame, gradient, count = value.extra
            for name, argument in zip(frame.arguments, value.args[:count], strict=False):
                if name in gradient.reads and argument.op != "array":
                    found.append(Need(value, argument, "nonlinear", act, use))
            for event in self.graph.events:
                if event.access is Access.READ and event.frame is frame and event.array.name in gradient.reads:
                    found.append(Need(value, event.value, "nonlinear", act, use))
        elif op == "opaque":
            for argument in value.args:
                if argument.type.kind != "array":
                    found.append(Need(value, argument, "nonlinear", act, use, unsure=True))

    def _operands(self, value: Value, use: int, found: list[Need]) -> None:
        entry = value.entry
        assert entry is not None
        needed: dict[int, tuple[str, int]] = {}
        for j, (argument, position) in enumerate(zip(value.args, value.bound, strict=False)):
            if position is None or position >= len(entry.operands):
                continue
            operand = entry.operands[position]
            act = self.act[argument.id]
            if operand.gradient is not Gradient.EXACT or not act:
                continue
            for read in operand.reads:
                if read == RESULT:
                    kind, partners = needed.get(-1, ("result", 0))
                    needed[-1] = (kind, partners | act)
                    continue
                for k, other in enumerate(value.bound):
                    if other == read:
                        kind, partners = needed.get(k, ("", 0))
                        if j == k:
                            kind = "nonlinear"
                        needed[k] = (
                            kind or ("condition" if entry.operands[read].name == "cond" else "product"),
                            partners | act,
                        )
        for k, (kind, partners) in needed.items():
            source = value if k == -1 else value.args[k]
            if source.op != "const":
                found.append(Need(value, source, kind, partners, use))


def extremum(marker: Value) -> tuple[Value, Value] | None:
    """The old element and the value of a floating-point `atomic_min` or `atomic_max`, given its store."""
    stored = marker.args[0] if marker.op == "store" and marker.name == "extremum" else None
    return None if stored is None or stored.op != "join" else (stored.args[0], stored.args[1])


def vague(value: Value) -> bool:
    """Is it unknown whether a value is floating point at all?"""
    if value.op == "store":
        event = value.event
        element = event.array.type.element if event is not None else None
        return (element is None or element.kind == "unknown") and vague(value.args[0])
    return value.type.kind in ("unknown", "tuple")


def _union(parts: dict[Key, int] | None) -> int:
    result = 0
    if parts:
        for mask in parts.values():
            result |= mask
    return result


def _custom_frames(graph: Graph) -> frozenset[int]:
    """Activations whose adjoint is written by hand (set by the executor), and those inside them."""
    roots = [frame for frame in graph.frames if frame.custom]
    return frozenset(frame.id for frame in graph.frames if any(frame.within(root) for root in roots))
