"""Which array accesses of a kernel touch the same element, and in what order."""

from __future__ import annotations

import enum
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from warp_lint.kernels.conditions import exclusive, vanishes
from warp_lint.kernels.effects import Access, Path
from warp_lint.kernels.graph import Event, Graph, Guard, Loop, Value, implied
from warp_lint.kernels.linear import Linear, Symbol, combine, constant, extent_symbol, linear, varying
from warp_lint.kernels.objects import Relation, relation, surely


class Hit(enum.IntEnum):
    """Does a write touch the element of another access? SURE: yes, whenever both happen."""

    NONE = 0
    MAYBE = 1
    SURE = 2


@dataclass(slots=True)
class Offsets:
    """How many passes later (per common loop) a second access meets the element of a first one."""

    hit: Hit
    passes: dict[int, int] = field(default_factory=dict)
    free: frozenset[int] = frozenset()
    once: bool = False  # in one pass of a loop only


_NOWHERE = Offsets(Hit.NONE)
_SOMEWHERE = Offsets(Hit.MAYBE)


class Memory:
    """Relations between the array events of one graph. `aliases` are sets of paths that share memory."""

    def __init__(
        self,
        graph: Graph,
        aliases: Sequence[frozenset[Path]] = (),
        sizes: Mapping[Path, tuple[int | None, ...]] | None = None,
    ) -> None:
        self.graph = graph
        self.sizes = sizes or {}
        self._counted: dict[int, tuple[Linear | None, ...]] = {}
        self.names: dict[Path, Path] = {}
        for group in aliases:
            first = min(group)
            self.names.update(dict.fromkeys(group, first))
        self.reads: dict[Path, list[Event]] = {}
        self.writes: dict[Path, list[Event]] = {}
        for event in graph.events:
            table = self.reads if event.access is Access.READ else self.writes
            table.setdefault(self.canonical(event.path), []).append(event)
        self._varying: dict[Symbol, frozenset[int]] = {}
        self._offsets: dict[tuple[int, int], Offsets] = {}
        self._steps: dict[int, int | None] = {}

    def canonical(self, path: Path) -> Path:
        return self.names.get(path, path)

    def writes_to(self, path: Path) -> list[Event]:
        return self.writes.get(self.canonical(path), [])

    def reads_of(self, path: Path) -> list[Event]:
        return self.reads.get(self.canonical(path), [])

    # Indices

    def index(self, event: Event) -> tuple[Linear | None, ...]:
        if event.linear is None:
            event.linear = tuple(None if i is None else linear(i) for i in event.indices)
            event.from_end = any(i is not None and not i.terms and i.constant < 0 for i in event.linear)
        return self._from_start(event, event.linear) if event.from_end else event.linear

    def _from_start(self, event: Event, forms: tuple[Linear | None, ...]) -> tuple[Linear | None, ...]:
        """`a[-1]` is `a[a.shape[0] - 1]`."""
        known = self._counted.get(event.time)
        if known is None:
            found: list[Linear | None] = []
            shape = self.sizes.get(event.path, ())
            for dimension, form in enumerate(forms):
                if form is None or form.terms or form.constant >= 0:
                    found.append(form)
                    continue
                size = shape[dimension] if dimension < len(shape) else None
                length = Linear(((extent_symbol(event.path, dimension), 1),), 0) if size is None else constant(size)
                found.append(combine(length, form, 1))
            known = self._counted[event.time] = tuple(found)
        return known

    def loops_of(self, symbol: Symbol) -> frozenset[int]:
        known = self._varying.get(symbol)
        if known is None:
            known = self._varying[symbol] = varying(symbol, self.graph.values)
        return known

    def _step(self, symbol: Symbol) -> tuple[int, int] | None:
        """(loop, change per pass) of a symbol that changes by a constant at every pass of one loop."""
        if not isinstance(symbol, tuple):
            return None
        if symbol[0] == "loop":
            step = self.graph.loops[symbol[1]].step if 0 <= symbol[1] < len(self.graph.loops) else None
            return None if step is None else (symbol[1], step)
        if symbol[0] == "value":
            value = self.graph.values[symbol[1]]
            if value.op == "carry" and len(value.args) > 1 and isinstance(value.extra, Loop):
                change = combine(linear(value.args[1]), linear(value), -1)
                if not change.terms and change.constant:
                    return value.extra.id, change.constant
        return None

    def offsets(self, first: Event, second: Event) -> Offsets:
        """When `second` meets the element that `first` touched."""
        key = (first.time, second.time)
        known = self._offsets.get(key)
        if known is None:
            known = self._offsets[key] = self._compute(first, second)
        return known

    def _compute(self, first: Event, second: Event) -> Offsets:
        if not first.path or not second.path:
            return _SOMEWHERE
        parts = relation(second.component, first.component)
        if parts is Relation.NONE:
            return _NOWHERE
        common = [loop for loop, other in zip(first.loops, second.loops, strict=False) if loop is other]
        ids = {loop.id for loop in common}
        left, right = self.index(first), self.index(second)
        sure = len(left) == len(right) and surely(second.component, first.component)
        once = False
        passes: dict[int, int] = {}
        bound: set[int] = set()
        for a, b in zip(left, right, strict=False):
            if a is None or b is None:
                sure = False
                continue
            difference = combine(a, b, -1)
            if difference.terms and self._pinned(difference, first, second):
                continue
            ring = self._ring(a, b, ids) if difference.terms or b.terms else None
            if ring is not None:
                around, delta = ring
                if around is None:
                    return _NOWHERE
                if delta and passes.setdefault(around, delta) != delta:
                    return _NOWHERE
                continue
            if difference.terms:
                visited = self._visits(difference)
                if visited is not None and visited.id in ids and any(sym == ("loop", visited.id) for sym, _ in b.terms):
                    passes.setdefault(visited.id, 0)  # the pass that writes the element, and none after it
                if visited is not None or (not self._sweeps(difference, first, second) and self._overlap(a, b, ids)):
                    once = True
                elif not self._sweeps(difference, first, second):
                    sure = False
                continue
            moves: dict[int, int] = {}
            irregular = False
            for symbol, factor in b.terms:
                touched = self.loops_of(symbol) & ids
                if not touched:
                    continue
                step = self._step(symbol)
                if step is not None and step[0] in ids and len(touched) == 1:
                    moves[step[0]] = moves.get(step[0], 0) + factor * step[1]
                else:
                    irregular = True
                    bound |= touched
            if irregular:
                if difference.constant:
                    sure = False
                continue
            moves = {loop: move for loop, move in moves.items() if move}
            if not moves:
                if difference.constant:
                    return _NOWHERE
            elif len(moves) == 1:
                loop, move = next(iter(moves.items()))
                if difference.constant % move:
                    return _NOWHERE
                delta = difference.constant // move
                if passes.setdefault(loop, delta) != delta:
                    return _NOWHERE
            elif difference.constant:
                sure = False
            else:
                for loop in moves:
                    passes.setdefault(loop, 0)
        for loop in bound:
            passes.setdefault(loop, 0)
        free = frozenset(ids - set(passes))
        return Offsets(Hit.SURE if sure else Hit.MAYBE, passes, free, once)

    def _ring(self, first: Linear, second: Linear, common: set[int]) -> tuple[int | None, int] | None:
        """Indices modulo one literal: (the loop that moves them, passes until the second is the first's element), or
        (None, 0) if they never meet. None: not of this kind. Zero passes: the same element in the same pass, and again
        in later ones."""
        one, two = _modulo(first), _modulo(second)
        if one is None or two is None or one[0] != two[0]:
            return None
        size, left, right = one[0], one[1], two[1]
        apart = combine(left, right, -1)
        if any(factor % size for _, factor in apart.terms):
            return None
        moves: dict[int, int] = {}
        for symbol, factor in right.terms:
            touched = self.loops_of(symbol) & common
            step = self._step(symbol)
            if touched and (step is None or step[0] not in common or len(touched) != 1):
                return None
            if touched and step is not None:
                moves[step[0]] = (moves.get(step[0], 0) + factor * step[1]) % size
        moves = {loop: move for loop, move in moves.items() if move}
        if not moves:
            return (None, 0) if apart.constant % size else None
        if len(moves) > 1:
            return None
        loop, move = next(iter(moves.items()))
        later = next((n for n in range(size) if (apart.constant - n * move) % size == 0), None)
        return (None, 0) if later is None else (loop, later)

    def _pinned(self, difference: Linear, first: Event, second: Event) -> bool:
        """`if i == 0: a[0] = 1.0`: are two indices the same by conditions on the thread, where both accesses happen?"""
        if not first.guards and not second.guards:
            return False
        if any(self.loops_of(symbol) for symbol, _ in difference.terms):
            return False
        return vanishes(difference, (*first.guards, *second.guards))

    def _visits(self, difference: Linear) -> Loop | None:
        """The loop over a range that passes by the very element of an access whose index it doesn't move."""
        if len(difference.terms) != 1:
            return None
        ((symbol, factor),) = difference.terms
        if not isinstance(symbol, tuple) or symbol[0] != "loop" or abs(factor) != 1:
            return None
        loop = self.graph.loops[symbol[1]]
        bounds = [bound.const for bound in loop.bounds]
        start, stop = (
            (0, bounds[0]) if len(bounds) == 1 else (bounds[0], bounds[1]) if len(bounds) > 1 else (None, None)
        )
        if loop.kind != "for" or loop.step != 1 or not isinstance(start, int):
            return None
        place = -difference.constant * factor
        return loop if place >= start and (not isinstance(stop, int) or place < stop) else None

    def _sweeps(self, difference: Linear, first: Event, second: Event) -> bool:
        """Two separate loops over the same range visit the same elements."""
        if difference.constant or len(difference.terms) != 2:
            return False
        (one, factor), (two, other) = difference.terms
        if factor != -other or not isinstance(one, tuple) or not isinstance(two, tuple):
            return False
        if one[0] != "loop" or two[0] != "loop":
            return False
        left, right = self.graph.loops[one[1]], self.graph.loops[two[1]]
        if left.kind != "for" or right.kind != "for" or left.step != right.step:
            return False
        if {left.id, right.id} & ({p.id for p in first.loops} & {p.id for p in second.loops}):
            return False
        return [linear(b) for b in left.bounds] == [linear(b) for b in right.bounds]

    def _swept(self, write: Event, other: Event) -> bool:
        """Does a loop of its own pass by everything that the loop around the write has passed by?"""
        inner = other.loops[_shared(write.loops, other.loops) :]
        if len(inner) != 1 or inner[0].exits or inner[0].kind != "for":
            return False
        return any(i is not None and any(s == ("loop", inner[0].id) for s, _ in i.terms) for i in self.index(other))

    def _overlap(self, first: Linear, second: Linear, common: set[int]) -> bool:
        """Do separate loops that move two indices pass by some element both (given enough passes)?"""
        one, two = self._interval(first, common), self._interval(second, common)
        if one is None or two is None:
            return False
        return _ahead(one[0], two[1]) and _ahead(two[0], one[1])

    def _interval(self, index: Linear, common: set[int]) -> tuple[Linear, Linear] | None:
        """Bounds (half open) of an index that one loop of its own moves by one per pass."""
        own = [(s, f) for s, f in index.terms if isinstance(s, tuple) and s[0] == "loop" and s[1] not in common]
        if len(own) != 1 or abs(own[0][1]) != 1:
            return None
        (symbol, factor) = own[0]
        bounds = self._range(symbol, common)
        if bounds is None:
            return None
        rest = combine(index, Linear((own[0],), 0), -1)
        start, stop = bounds
        if factor > 0:
            return combine(rest, start, 1), combine(rest, stop, 1)
        return combine(combine(rest, stop, -1), constant(1), 1), combine(combine(rest, start, -1), constant(1), 1)

    def _range(self, symbol: Symbol, common: set[int], depth: int = 0) -> tuple[Linear, Linear] | None:
        """The widest range (half open) of a loop variable over all passes of the loops around it."""
        assert isinstance(symbol, tuple)
        loop = self.graph.loops[symbol[1]]
        if loop.kind != "for" or loop.step != 1 or not loop.bounds or depth > 3:
            return None
        forms = [constant(0), *map(linear, loop.bounds)] if len(loop.bounds) == 1 else [linear(b) for b in loop.bounds]
        ends = []
        for end, form in enumerate(forms[:2]):
            for inner, factor in form.terms:
                if isinstance(inner, tuple) and inner[0] == "loop" and inner[1] not in common:
                    around = self._range(inner, common, depth + 1)
                    if around is None or factor != 1:
                        return None
                    extreme = around[0] if end == 0 else combine(around[1], constant(1), -1)
                    form = combine(combine(form, Linear(((inner, 1),), 0), -1), extreme, 1)
            ends.append(form)
        return ends[0], ends[1]

    def idle(self, write: Event) -> bool:
        """`a[i] = a[i]`: a store that leaves memory as it is."""
        if write.access is not Access.STORE or write.atomic:
            return False
        value = write.value.args[0]
        while value.op == "copy":
            value = value.args[0]
        read = value.event
        if read is None or read.access is not Access.READ or self.canonical(read.path) != self.canonical(write.path):
            return False
        return self.same_pass(read, write) and not any(
            read.time < other.time < write.time and self.offsets(read, other).hit is not Hit.NONE
            for other in self.writes_to(write.path)
        )

    # Order

    def follows(self, first: Event, second: Event) -> Hit:
        """Does `second` touch the element of `first` after `first` happened?"""
        found = self.offsets(first, second)
        if found.hit is Hit.NONE:
            return Hit.NONE
        for loop, other in zip(first.loops, second.loops, strict=False):
            if loop is not other:
                break
            delta = found.passes.get(loop.id)
            if delta is None or delta > 0:
                if self._always_exclusive(first.guards, second.guards, loop):
                    return Hit.NONE
                return found.hit
            if delta < 0:
                return Hit.NONE
        if second.time <= first.time or exclusive(first.guards, second.guards):
            return Hit.NONE
        return found.hit

    def _always_exclusive(self, left: Sequence[Guard], right: Sequence[Guard], loop: Loop) -> bool:
        arms = {guard.branch: guard for guard in left}
        for guard in right:
            other = arms.get(guard.branch)
            if other is not None and other.arm != guard.arm and loop not in guard.condition.loops:
                return True
        return False

    def same_pass(self, first: Event, second: Event) -> bool:
        """Do both touch one element in every common pass (whatever happens in others)?"""
        found = self.offsets(first, second)
        return found.hit is Hit.SURE and not found.once and not any(found.passes.values())

    def last_before(self, read: Event) -> list[Event]:
        """Writes that may have touched a read's element ahead of it in the same pass, newest first."""
        return [
            write
            for write in reversed(self.writes_to(read.path))
            if write.time < read.time
            and self.offsets(write, read).hit is not Hit.NONE
            and not exclusive(write.guards, read.guards)
        ]

    def settles(self, write: Event, read: Event) -> bool:
        """Does a write surely decide what a read in the same pass sees?"""
        return (
            self.same_pass(write, read)
            and write.loops == read.loops[: len(write.loops)]
            and implied(write.guards, read.guards)
            and relation(write.component, read.component) is Relation.COVERS
        )

    def reaching(self, read: Event) -> tuple[list[Event], bool]:
        """Writes whose value a read may see, newest first; and whether memory from before the kernel may be."""
        result: list[Event] = []
        earlier = [w for w in self.writes_to(read.path) if w.time < read.time]
        for write in reversed(earlier):
            if exclusive(write.guards, read.guards):
                continue
            found = self.offsets(write, read)
            if found.hit is Hit.NONE:
                continue
            sure = self.same_pass(write, read) and write.loops == read.loops[: len(write.loops)]
            moved = found.hit is Hit.SURE and any(found.passes.values())
            if moved and all(delta <= 0 for delta in found.passes.values()):
                continue
            result.append(write)
            plain = write.access is Access.STORE and relation(write.component, read.component) is Relation.COVERS
            if sure and plain and implied(write.guards, read.guards) and not write.atomic:
                return result, False
        for write in self.writes_to(read.path):
            if write.time > read.time and self.follows(write, read) is not Hit.NONE:
                result.append(write)  # in a pass before
        return result, True

    def dead(self, write: Event) -> Event | None:
        """The plain store that surely overwrites a write before anything else could, or None."""
        for other in self.writes_to(write.path):
            if other.time <= write.time or other.access is not Access.STORE or other.atomic:
                continue
            if not implied(other.guards, write.guards) or not self.same_pass(write, other):
                continue
            if other.loops != write.loops[: len(other.loops)] and not self._swept(write, other):
                continue
            if _left_between(write, other):
                continue
            if relation(other.component, write.component) is Relation.COVERS:
                return other
        return None


def _modulo(index: Linear) -> tuple[int, Linear] | None:
    """Size and operand of an index that is `form % size`."""
    if index.constant or len(index.terms) != 1:
        return None
    ((symbol, factor),) = index.terms
    if factor != 1 or not isinstance(symbol, tuple) or symbol[0] != "mod":
        return None
    return symbol[1], symbol[2]


def _shared(left: Sequence[Loop], right: Sequence[Loop]) -> int:
    """Number of outer loops in common."""
    count = 0
    for one, two in zip(left, right, strict=False):
        if one is not two:
            break
        count += 1
    return count


def _ahead(low: Linear, high: Linear) -> bool:
    """Is one bound surely below another one, if sizes are large enough?"""
    difference = combine(high, low, -1)
    if not difference.terms:
        return difference.constant > 0
    return all(factor > 0 for _, factor in difference.terms)


def _left_between(write: Event, other: Event) -> bool:
    """May a `return` in a loop around the write keep the later store from running?"""
    return any(
        leave.kind == "return" and write.time <= leave.time < other.time and not exclusive(leave.guards, write.guards)
        for loop in write.loops
        for leave in loop.exits
    )


def trivial(index: Value | None) -> bool:
    return index is None or linear(index) == constant(0)
