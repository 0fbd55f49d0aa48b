"""The reverse sweep of one backward pass, on places instead of numbers.

Walks the recorded operations last to first with the set of gradient cells that are live, each marked
with the write that should have cleared it and did not. What comes out: operations with a live output,
adjoints that read an overwritten value (*stale*), gradients that reach an operation they don't belong
to (*leaks*), gradients overwritten by a copy (*lost*), and what is left in the cells afterwards.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace

from packaging.version import Version

from warp_lint.kernels.effects import Access, Effects, Need, Path
from warp_lint.trace.access import Binding, Place, Write, place_overlap, shape_of
from warp_lint.trace.by_hand import FUNCTION, HandAdjoint
from warp_lint.trace.flow import Flow, Tier, gradient_key
from warp_lint.trace.model import (
    Array,
    Copy,
    Event,
    Extent,
    Launch,
    Overlap,
    RecordFunction,
    Region,
    covers,
    overlap,
)
from warp_lint.trace.regions import RegionMap, intersection, leading
from warp_lint.trace.timeline import Change, Timeline
from warp_lint.trace.windows import Window

STORES_CLEAR = Version("1.13")
COPIES_ACCUMULATE = Version("1.17")
COPIES_SWAP_OFFSETS = Version("1.16")
CELL_LIMIT = 256


@dataclass(frozen=True, slots=True)
class Live:
    """Why a gradient cell is live. `reader`: the event whose adjoint wrote it (None: seed).

    `leak`: the event that overwrote the primal without clearing the gradient. `leftover`: the earlier
    backward pass it is left over from. `sure`: through definite overlaps and known kernels only.
    """

    reader: int | None
    array: Array
    leak: int | None = None
    leftover: int | None = None
    sure: bool = True


@dataclass(slots=True)
class Stale:
    """An adjoint reads a value that a later write changed."""

    operation: int
    need: Need
    change: Change
    tier: Tier
    sure: bool


@dataclass(slots=True)
class Leak:
    """A gradient reaches `receiver` although `write` replaced the value in between.

    `kind`: "unrecorded" (a write no tape holds), "store" (a store that does not clear: old Warp or
    `retain_grad`), "copy" (a copy that does not clear), "leftover" (from an earlier backward pass).
    """

    write: int
    receiver: int
    reader: int | None
    array: Array
    kind: str
    tier: Tier
    sure: bool


@dataclass(slots=True)
class Lost:
    """A copy's adjoint overwrites what later readers of its source contributed (Warp < 1.17), or puts the
    gradient to the wrong place (`shifted`: offsets that differ, Warp < 1.16)."""

    copy: int
    reader: int | None
    tier: Tier
    shifted: bool = False


@dataclass(slots=True)
class Residual:
    """A gradient cell that holds something after the sweep. `written`: an operation of the tape wrote
    the array, so the gradient has been passed on already and is left over."""

    key: int
    array: Array
    regions: list[Region]
    written: bool
    seed: bool
    sure: bool


@dataclass(slots=True)
class Result:
    """Everything the rules ask about one backward pass."""

    window: Window
    useful: dict[int, frozenset[Path]] = field(default_factory=dict)
    stale: list[Stale] = field(default_factory=list)
    leaks: list[Leak] = field(default_factory=list)
    lost: list[Lost] = field(default_factory=list)
    residuals: dict[int, Residual] = field(default_factory=dict)
    reached: dict[int, Tier] = field(default_factory=dict)  # gradient keys that got a contribution
    leaked_into: set[int] = field(default_factory=set)  # operations live through a leak or a leftover
    writers: dict[int, int] = field(default_factory=dict)  # last recorded writer by gradient key


@dataclass(slots=True)
class Seed:
    """A gradient that is there when the sweep starts."""

    array: Array
    region: Region
    leftover: int | None = None
    sure: bool = True


def is_operator(event: Launch) -> bool:
    """A Python operator on arrays: it has no kernel source of its own."""
    return event.effects is not None and event.effects.location == event.location


def extremal(event: Event, path: Path) -> bool:
    """A launch that writes an array by atomic minima or maxima only."""
    return isinstance(event, Launch) and event.effects is not None and path in event.effects.extrema


class Sweep:
    """One reverse sweep. Use `run`."""

    def __init__(self, timeline: Timeline, flow: Flow, target: Version, window: Window) -> None:
        self.events = timeline.trace.events
        self.timeline = timeline
        self.flow = flow
        self.window = window
        self.stores_clear = target >= STORES_CLEAR
        self.copies_accumulate = target >= COPIES_ACCUMULATE
        self.offsets_swap = target >= COPIES_SWAP_OFFSETS
        self.result = Result(window)
        self._cells: dict[int, RegionMap[list[Live]]] = {}  # by gradient key
        self._keys: dict[int, set[int]] = {}  # gradient keys by allocation

    def run(self, seeds: Iterable[Seed]) -> Result:
        for seed in seeds:
            self._add(seed.array, seed.region, Live(None, seed.array, None, seed.leftover, seed.sure))
        operations = set(self.window.operations)
        if operations:
            for index in range(self.window.last, self.window.start - 1, -1):
                event = self.events[index]
                if index not in operations:
                    self._other(index)
                elif isinstance(event, Launch):
                    self._launch(index, event)
                elif isinstance(event, Copy):
                    self._copy(index, event)
                elif isinstance(event, RecordFunction):
                    self._function(index, event)
        self._residuals()
        return self.result

    # Cells

    def _add(self, array: Array, region: Region, live: Live) -> None:
        key = gradient_key(array)
        cells = self._cells.get(key)
        if cells is None:
            cells = self._cells[key] = RegionMap()
            self._keys.setdefault(region.root, set()).add(key)
        found = cells.get(region)
        if found is None:
            if len(cells) >= CELL_LIMIT:
                region = Region(region.root)
                found = cells.get(region)
                live = Live(live.reader, live.array, live.leak, live.leftover, False)
            if found is None:
                cells.set(region, [live])
                return
        if not any(one.leak == live.leak and one.leftover == live.leftover for one in found):
            found.append(live)

    def _live(self, array: Array, place: Place) -> list[tuple[Live, Overlap]]:
        cells = self._cells.get(gradient_key(array))
        if cells is None or self.flow.has_gradient(array) is False:
            return []
        found: list[tuple[Live, Overlap]] = []
        for region, lives, _ in cells.overlapping(place.region):
            shared = place_overlap(place, Place(region))
            if shared is not Overlap.NONE:
                found += [(live, shared) for live in lives]
        return found

    def _clear(self, array: Array, place: Place) -> None:
        cells = self._cells.get(gradient_key(array))
        if cells is None:
            return
        for region, lives, _ in cells.overlapping(place.region):
            if covers(place.region, region):
                cells.remove(region)
                continue
            rest = self._subtract(region, place.region)
            if rest is not None:
                cells.remove(region)
                for piece in rest:
                    for live in lives:
                        self._add(array, piece, live)

    def _doubt(self, array: Array, place: Place) -> None:
        """A store under a condition: whether gradients are left there isn't known."""
        cells = self._cells.get(gradient_key(array))
        if cells is None:
            return
        for region, lives, _ in cells.overlapping(place.region):
            cells.set(region, [replace(live, sure=False) for live in lives])

    def _mark(self, keys: Iterable[int], place: Place, write: int) -> None:
        """Gradients in this place belong to a value that the write replaced."""
        for key in list(keys):
            cells = self._cells.get(key)
            if cells is None:
                continue
            for region, lives, _ in cells.overlapping(place.region):
                shared = place_overlap(place, Place(region))
                if shared is not Overlap.YES:
                    continue
                marked = [
                    Live(live.reader, live.array, write, live.leftover, live.sure)
                    for live in lives
                    if live.leak is None
                ]
                if covers(place.region, region):
                    cells.set(region, [live for live in lives if live.leak is not None] + marked)
                    continue
                rest = self._subtract(region, place.region)
                if rest is not None:
                    cells.remove(region)
                    for piece in rest:
                        for live in lives:
                            self._add(live.array, piece, live)
                for live in marked:
                    self._add(live.array, intersection(place.region, region), live)

    # Events

    def _other(self, index: int) -> None:
        event = self.events[index]
        if isinstance(event, Launch | Copy) and event.tape is not None and event.recorded:
            return  # another tape's business
        for change in self.timeline.changes.get(index, ()):
            if not change.in_place:
                self._mark(self._keys.get(change.place.region.root, ()), change.place, index)

    def _by_hand(self, index: int, function: HandAdjoint) -> None:
        lives = [one for array in function.takes for one in self._live(array, Place(array.region, False))]
        if not lives:
            return
        tier = self._tier(index, FUNCTION)
        self.result.useful[index] = frozenset({FUNCTION})
        self._leaks(index, lives, tier)
        if tier is not Tier.NONE:
            for reading in function.readings:
                change = self.timeline.first_change(reading.place, index, self.window.index)
                if change is not None:
                    sure = reading.adjoint and function.complete
                    self.result.stale.append(Stale(index, reading.need, change, tier, sure))
        for array in function.takes:
            self.result.writers.setdefault(gradient_key(array), index)
        for array in function.clears:
            self._clear(array, Place(array.region))
        for array in function.gives:
            sure = function.complete and any(live.sure for live, _ in lives)
            key = gradient_key(array)
            self.result.reached[key] = max(self.result.reached.get(key, Tier.NONE), tier)
            self._add(array, array.region, Live(index, array, sure=sure))

    def _function(self, index: int, event: RecordFunction) -> None:
        function = self.timeline.by_hand.get(index)
        if function is not None:
            self._by_hand(index, function)
            return
        live = [one for array in event.arrays for one in self._live(array, Place(array.region, False))]
        if live:
            for array in event.arrays:
                self._add(array, array.region, Live(index, array, sure=False))

    def _copy(self, index: int, event: Copy) -> None:
        destination, source = event.destination, event.source
        if self.flow.has_gradient(destination) is False or self.flow.has_gradient(source) is False:
            return
        place = Place(destination.region, event.whole)
        self.result.writers.setdefault(gradient_key(destination), index)
        lives = self._live(destination, place)
        tier = self._tier(index, ("source",))
        if lives:
            self.result.useful[index] = frozenset({("destination",)})
            self._leaks(index, lives, tier)
            if event.shifted and not self.offsets_swap and tier > Tier.NONE:
                self.result.lost.append(Lost(index, None, tier, shifted=True))
        if self.copies_accumulate:
            if destination.retain_grad:
                self._mark([gradient_key(destination)], place, index)
            elif event.whole:
                self._clear(destination, place)
        else:
            earlier = [
                live
                for live, shared in self._live(source, Place(source.region))
                if shared is Overlap.YES and live.leak is None and live.leftover is None
            ]
            if earlier and tier > Tier.NONE:
                self.result.lost.append(Lost(index, earlier[0].reader, tier))
            self._clear(source, Place(source.region))
            self._mark([gradient_key(destination)], place, index)
        if lives:
            self._contribute(index, source, Place(source.region), lives, tier)

    def _launch(self, index: int, event: Launch) -> None:
        effects = event.effects
        binding = self.timeline.bindings.get(index)
        if binding is None:
            return
        if effects is None:
            self._unknown(index, event)
            return
        if not self.flow.has_adjoint(effects):
            return
        live = self._outputs(index, event, effects, binding)
        if live:
            self.result.useful[index] = frozenset(live)
            readings = self.flow.readings.get(index, {})
            for path, found in live.items():
                sources = effects.flows.get(path, frozenset())
                tier = max((self._tier(index, p) for p in sources if p in readings), default=Tier.NONE)
                self._leaks(index, found, tier)
            self._stale(index, event, effects, binding, frozenset(live))
        for path, writes in binding.writes.items():
            array = event.arguments[path]
            if self.flow.has_gradient(array) is False:
                continue
            self.result.writers.setdefault(gradient_key(array), index)
            self._after_writes(index, array, path, writes, effects)
        self._inputs(index, event, effects, binding, live)

    def _outputs(
        self, index: int, event: Launch, effects: Effects, binding: Binding
    ) -> dict[Path, list[tuple[Live, Overlap]]]:
        """Written paths whose gradient is live, also through a value written and read in the launch."""
        live: dict[Path, list[tuple[Live, Overlap]]] = {}
        for path, writes in binding.writes.items():
            array = event.arguments[path]
            if not array.floating or array.gradient_of is not None:
                continue
            found = [one for write in writes for one in self._live(array, write.place)]
            if found:
                live[path] = found
        pending = list(live)
        while pending:
            path = pending.pop()
            for source in effects.flows.get(path, ()):
                if source in live or source not in binding.writes or source not in event.arguments:
                    continue
                if source not in binding.inner:
                    continue
                if self.flow.has_gradient(event.arguments[source]) is not False:
                    live[source] = [(Live(index, event.arguments[source]), Overlap.YES)]
                    pending.append(source)
        return live

    def _after_writes(self, index: int, array: Array, path: Path, writes: tuple[Write, ...], effects: Effects) -> None:
        for write in writes:
            if write.kind is not Access.STORE:
                continue
            if self.stores_clear and not array.retain_grad:
                if write.clears:
                    self._clear(array, write.place)
                elif write.place.full:
                    self._doubt(array, write.place)
            elif not (write.in_place and path in effects.own_defects) and write.place.full:
                self._mark([gradient_key(array)], write.place, index)

    def _inputs(
        self,
        index: int,
        event: Launch,
        effects: Effects,
        binding: Binding,
        live: dict[Path, list[tuple[Live, Overlap]]],
    ) -> None:
        for path, lives in live.items():
            for source in sorted(effects.flows.get(path, ())):
                array = event.arguments.get(source)
                if array is None or array.gradient_of is not None or self.flow.has_gradient(array) is False:
                    continue
                if source in binding.renewed:
                    continue
                for place in binding.reads.get(source, ()):
                    self._contribute(index, array, place, lives, self._tier(index, source))

    def _contribute(
        self, index: int, array: Array, place: Place, lives: list[tuple[Live, Overlap]], tier: Tier
    ) -> None:
        if not array.floating:
            return
        sure = place.full and any(live.sure and shared is Overlap.YES for live, shared in lives)
        key = gradient_key(array)
        self.result.reached[key] = max(self.result.reached.get(key, Tier.NONE), tier)
        self._add(array, place.region, Live(index, array, sure=sure))

    def _unknown(self, index: int, event: Launch) -> None:
        arrays = [a for a in event.arguments.values() if a.floating and a.gradient_of is None]
        if any(self._live(array, Place(array.region, False)) for array in arrays):
            for array in arrays:
                if self.flow.has_gradient(array) is not False:
                    self._add(array, array.region, Live(index, array, sure=False))

    # Findings

    def _tier(self, index: int, path: Path) -> Tier:
        reading = self.flow.readings.get(index, {}).get(path)
        return reading.actual if reading is not None else Tier.NONE

    def _leaks(self, index: int, lives: list[tuple[Live, Overlap]], tier: Tier) -> None:
        leaked = [(live, shared) for live, shared in lives if live.leak is not None or live.leftover is not None]
        if not leaked:
            return
        if all(one.leak is not None or one.leftover is not None for one, _ in lives):
            self.result.leaked_into.add(index)
        if tier is Tier.NONE:
            return
        for live, shared in leaked:
            sure = live.sure and shared is Overlap.YES
            if live.leak is not None:
                kind = self._leak_kind(live.leak)
                self.result.leaks.append(Leak(live.leak, index, live.reader, live.array, kind, tier, sure))
            elif live.leftover is not None:
                leak = Leak(live.leftover, index, live.reader, live.array, "leftover", tier, sure)
                self.result.leaks.append(leak)

    def _leak_kind(self, write: int) -> str:
        event = self.events[write]
        if isinstance(event, Launch | Copy) and event.tape == self.window.tape and event.recorded:
            return "copy" if isinstance(event, Copy) else "store"
        return "unrecorded"

    def _stale(self, index: int, event: Launch, effects: Effects, binding: Binding, live: frozenset[Path]) -> None:
        for need in effects.needs:
            array = event.arguments.get(need.path)
            if array is None or (need.outputs and not need.outputs & live):
                continue
            partners = need.partners
            if need.path in binding.writes:
                if is_operator(event):
                    continue  # ADJ101
                partners = partners - effects.own_defects
            tier = max((self._tier(index, partner) for partner in partners), default=Tier.NONE)
            if tier is Tier.NONE:
                continue
            place = self.timeline.binder.place(event, need.path, need.index, need.component)
            change = self.timeline.first_change(place, index, self.window.index)
            while need.kind == "extremum" and change is not None and extremal(self.events[change.index], change.path):
                if self._read_between(place, index, change.index):
                    break  # that launch's gradient goes to the extremum as it was
                change = self.timeline.first_change(place, change.index, self.window.index)
            if change is None:
                continue
            if need.path not in binding.writes and self.timeline.restored(array.region.root, index, self.window.index):
                continue  # for example cleared again, as it was when the launch read it
            wins = not extremal(self.events[change.index], change.path)  # else the new value decides
            self.result.stale.append(Stale(index, need, change, tier, binding.known and wins))

    def _read_between(self, place: Place, first: int, last: int) -> bool:
        """Does a launch of the window read a place between two others?"""
        return any(
            first < index < last
            and index in self.result.useful
            and self.result.useful[index]
            and index in self.timeline.bindings
            and any(
                place_overlap(read, place) is Overlap.YES
                for path, reads in self.timeline.bindings[index].reads.items()
                if not extremal(self.events[index], path)
                for read in reads
            )
            for index in self.window.operations
        )

    def _residuals(self) -> None:
        seeds = {gradient_key(array) for array in self.window.seeds()}
        for key, cells in self._cells.items():
            regions, sure, array = [], False, None
            for region, lives in cells.items():
                for live in lives:
                    regions.append(region)
                    sure = sure or live.sure
                    array = live.array
            if array is not None:
                self.result.residuals[key] = Residual(
                    key, array, regions, key in self.result.writers, key in seeds, sure
                )

    def _subtract(self, region: Region, hole: Region) -> list[Region] | None:
        """What is left of a region without a hole; None if that isn't a list of intervals of rows."""
        bounds = leading(hole)
        if bounds is None or overlap(region, hole) is not Overlap.YES:
            return None
        if hole.extents[1:] and not covers(Region(hole.root, (Extent(0, None), *hole.extents[1:])), region):
            return None
        first = region.extents[0] if region.extents else Extent(0, None)
        if first.symbol:
            return None
        if first.stop is None:
            shape = shape_of(self.timeline.trace.roots.get(region.root))
            first = Extent(first.start, shape[0] if shape else None)
        pieces = []
        if first.start < bounds[0]:
            pieces.append(Region(region.root, (Extent(first.start, bounds[0]), *region.extents[1:])))
        if first.stop is None or first.stop > bounds[1]:
            pieces.append(Region(region.root, (Extent(bounds[1], first.stop), *region.extents[1:])))
        return pieces
