"""What happens to memory over a trace: every write with its place, and whether it changes values.

Copying equal values back, or launching the same kernel on the same inputs again, changes nothing;
values are compared by numbers given to whole allocations.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from warp_lint.kernels.effects import Effects, Parameter, Path
from warp_lint.trace.access import Binder, Binding, Place, place_overlap, shape_of
from warp_lint.trace.by_hand import HandAdjoint, hand_adjoint
from warp_lint.trace.model import (
    Allocate,
    Array,
    Backward,
    Copy,
    Event,
    Fill,
    GradientRead,
    GradientWrite,
    Guard,
    HostRead,
    Launch,
    OptimizerStep,
    Overlap,
    RecordFunction,
    Region,
    Root,
    Trace,
    UnrecordedCall,
    View,
    overlap,
)
from warp_lint.trace.regions import RegionMap, normal

MAX_PARTS = 32


@dataclass(slots=True)
class Change:
    """One write. `index`: number of the event. `array`: the object written through."""

    index: int
    place: Place
    array: Array
    path: Path = ()
    in_place: bool = False
    guarded: bool = False


class Timeline:
    """Writes of a trace by allocation, and the binding of each launch."""

    def __init__(self, trace: Trace) -> None:
        self.trace = trace
        _normalise(trace)
        self.binder = Binder(trace.roots, trace.recorded)
        self.bindings: dict[int, Binding] = {}
        self.by_hand: dict[int, HandAdjoint] = {}  # recorded functions whose doing is known, by event
        self.changes: dict[int, list[Change]] = {}  # by event
        self.unchanged: set[int] = set()  # events that write what is already there
        self._by_root: dict[int, RegionMap[list[Change]]] = {}
        self._numbers: dict[int, int] = {}  # of the values of whole allocations
        self._parts: dict[int, dict[Region, int]] = {}  # of slices stored as one, by allocation
        self._known: dict[Any, int] = {}  # what a number stands for
        self._history: dict[int, list[tuple[int, int]]] = {}  # (event, number from then on) by allocation
        self._idle: dict[int, list[Change]] = {}  # writes of what is there already, by allocation
        self._differentiated = False
        self._gradients_written: set[int] = set()
        for index, event in enumerate(trace.events):
            self._event(index, event)

    def first_change(self, place: Place, after: int, before: int) -> Change | None:
        """The first write that certainly changes some of a place, strictly between two events."""
        regions = self._by_root.get(place.region.root)
        if regions is None:
            return None
        best: Change | None = None
        for _, changes, _ in regions.overlapping(place.region):
            start = bisect_right(changes, after, key=lambda c: c.index)
            for change in changes[start:]:
                if change.index >= before or (best is not None and change.index >= best.index):
                    break
                if place_overlap(change.place, place) is Overlap.YES:
                    best = change
                    break
        return best

    def last_change(self, place: Place, before: int) -> Change | None:
        """The last write before an event that meets a place, or may."""
        regions = self._by_root.get(place.region.root)
        if regions is None:
            return None
        best: Change | None = None
        for _, changes, _ in regions.overlapping(place.region):
            position = bisect_right(changes, before - 1, key=lambda c: c.index)
            if position and (best is None or changes[position - 1].index > best.index):
                best = changes[position - 1]
        return best

    def written(self, place: Place, after: int, before: int) -> bool:
        """Something certainly writes to a place between two events, be it the values that are there."""
        idle = self._idle.get(place.region.root, ())
        return self.first_change(place, after, before) is not None or any(
            after < change.index < before and place_overlap(change.place, place) is Overlap.YES for change in idle
        )

    def restored(self, root: int, first: int, last: int) -> bool:
        """An allocation holds the same values before two events, whatever was written in between."""
        held = self._number_before(root, first, first)
        return held is not None and held == self._number_before(root, last, first)

    def zeros(self, root: int, index: int) -> bool:
        """An allocation certainly holds nothing but zeros before an event."""
        return self._number_before(root, index, index) == self._known.get(("constant", 0.0))

    def untold(self, root: int, index: int) -> bool:
        """What an allocation holds before an event is what it held before the program was looked at."""
        made = self.trace.roots.get(root)
        return (
            made is not None
            and made.origin == "unknown"
            and self._number_before(root, index, index) == self._first_number(root)
        )

    def _number_before(self, root: int, index: int, given: int) -> int | None:
        """Identity of the values before an event, if the conditions of another one imply it."""
        history = self._history.get(root, [])
        events = self.trace.events
        known = set(events[given].guards)
        found: set[int] = set()
        later: list[set[Guard]] = []
        for position in range(bisect_right(history, index - 1, key=lambda entry: entry[0]) - 1, -1, -1):
            write, number = history[position]
            guards = {guard for guard in events[write].guards if guard not in known}
            if any(Guard(guard.branch, not guard.arm) in known for guard in guards) or any(g <= guards for g in later):
                continue  # not in the same run, or written over
            found.add(number)
            if not guards:
                break
            if len(found) > 1 or len(later) >= MAX_PARTS:
                return None
            later.append(guards)
        else:
            found.add(self._first_number(root))
        return found.pop() if len(found) == 1 else None

    def number(self, root: int) -> int:
        """Identity of the values of a whole allocation."""
        found = self._numbers.get(root)
        if found is None:
            found = self._numbers[root] = self._first_number(root)
        return found

    def _first_number(self, root: int) -> int:
        made = self.trace.roots.get(root)
        value = None if made is None else 0.0 if made.origin == "zeros" else made.value
        return self._number_of(("initial", root) if value is None else ("constant", value))

    def _set_number(self, index: int, root: int, number: int) -> None:
        self._numbers[root] = number
        self._history.setdefault(root, []).append((index, number))

    def _number_of(self, meaning: Any) -> int:
        return self._known.setdefault(meaning, len(self._known))

    def _fresh(self) -> int:
        return self._number_of(("write", len(self._known)))

    def _event(self, index: int, event: Event) -> None:
        if isinstance(event, Launch):
            self._launch(index, event)
        elif isinstance(event, Copy):
            source = (
                self.number(event.source.region.root) if _is_whole(event.source, self._root(event.source)) else None
            )
            self._write(index, Change(index, Place(event.destination.region, event.whole), event.destination), source)
        elif isinstance(event, Fill):
            number = None
            if event.kind.rstrip("_") == "zero":
                number = self._number_of(("constant", 0.0))
            elif event.value is not None and not event.source_arrays:
                number = self._number_of(("constant", float(event.value)))
            change = Change(index, Place(event.array.region), event.array)
            self._write(index, change, number, constant=number is not None)
        elif isinstance(event, UnrecordedCall):
            for array in event.outputs:
                self._write(index, Change(index, Place(array.region), array), None)
        elif isinstance(event, OptimizerStep):
            for array in event.parameters:
                self._write(index, Change(index, Place(array.region), array, in_place=True), None)
        elif isinstance(event, RecordFunction):
            function = hand_adjoint(event, self.binder)
            if function is not None:
                self.by_hand[index] = function
        elif isinstance(event, Backward):
            self._differentiated = True
        elif isinstance(event, GradientWrite):
            self._gradients_written.add(id(event.array))
        elif isinstance(event, Allocate) and event.array.region.root not in self._numbers:
            self.number(event.array.region.root)

    def _launch(self, index: int, event: Launch) -> None:
        if event.adjoint:
            return
        binding = self.bindings[index] = self.binder.bind(event)
        effects = event.effects
        if effects is None:
            for array in event.arguments.values():
                self._set_number(index, array.region.root, self._fresh())
            return
        if not binding.writes:
            return
        key = self._launch_number(event, effects, binding)
        for path, writes in binding.writes.items():
            array = event.arguments[path]
            if self._adds_zero(event, effects, path):
                self.unchanged.add(index)
                continue
            for write in writes:
                change = Change(index, write.place, array, path, write.in_place, write.guarded)
                repeatable = key is not None and write.clears and not write.in_place and len(writes) == 1
                number = self._number_of((*key, path)) if repeatable and key is not None else None
                self._write(index, change, number)

    def _launch_number(self, event: Launch, effects: Effects, binding: Binding) -> tuple[Any, ...] | None:
        """What decides the values a launch stores, or None if that isn't known."""
        scalars: list[tuple[Path, str]] = []
        pending: list[tuple[Path, Parameter]] = [((parameter.name,), parameter) for parameter in effects.parameters]
        while pending:
            path, parameter = pending.pop()
            if parameter.kind == "scalar":
                if path not in event.scalars:
                    return None
                scalars.append((path, repr(event.scalars[path])))
            elif parameter.kind == "struct" and parameter.members:
                pending += [((*path, member.name), member) for member in parameter.members]
            elif parameter.kind != "array":
                return None
        inputs = []
        for path in sorted(binding.reads):
            if path in binding.writes:
                return None
            region = event.arguments[path].region
            inputs.append((path, region, self.number(region.root)))
        return ("launch", effects.location, tuple(scalars), event.dim, tuple(inputs))

    def _adds_zero(self, event: Launch, effects: Effects, path: Path) -> bool:
        """An update by gradients before anything was differentiated: it adds zeros."""
        if self._differentiated:
            return False
        sources = effects.values.get(path, frozenset()) - {path}
        if path not in effects.values.get(path, frozenset()) or not sources:
            return False
        for source in sources:
            array = event.arguments.get(source)
            if array is None or array.gradient_of is None or id(array.gradient_of) in self._gradients_written:
                return False
        return True

    def _write(self, index: int, change: Change, number: int | None, constant: bool = False) -> None:
        root = change.place.region.root
        whole = change.place.full and _spans_root(change.place, self.trace.roots.get(root))
        before = self.number(root)
        if number is None or not whole:
            if constant and number == before and change.place.full:
                self._same(index, change)
                return
            if (
                number is not None
                and change.place.full
                and self._parts.get(root, {}).get(change.place.region) == number
            ):
                self._same(index, change)
                return
            self._replace_parts(change.place, number)
            number = self._fresh()
        elif number == before:
            self._same(index, change)
            return
        if whole:
            self._parts.pop(root, None)
        self._set_number(index, root, number)
        self.changes.setdefault(index, []).append(change)
        regions = self._by_root.setdefault(root, RegionMap())
        found = regions.get(change.place.region)
        if found is None:
            regions.set(change.place.region, [change])
        else:
            found.append(change)

    def _same(self, index: int, change: Change) -> None:
        self.unchanged.add(index)
        self._idle.setdefault(change.place.region.root, []).append(change)

    def _replace_parts(self, place: Place, number: int | None) -> None:
        """A slice is written: what is known of the values of slices that meet it is over."""
        parts = self._parts.setdefault(place.region.root, {})
        for region in [r for r in parts if overlap(r, place.region) is not Overlap.NONE]:
            del parts[region]
        if number is not None and place.full and len(parts) < MAX_PARTS:
            parts[place.region] = number

    def _root(self, array: Array) -> Root | None:
        return self.trace.roots.get(array.region.root)


def _normalise(trace: Trace) -> None:
    """Give every array its region in normal form."""
    for event in trace.events:
        for array in _arrays(event):
            if array.region.extents:
                array.region = normal(array.region, shape_of(trace.roots.get(array.region.root)))


def _arrays(event: Event) -> Iterator[Array]:
    if isinstance(event, RecordFunction):
        for inner in event.body or ():
            yield from _arrays(inner)
    if isinstance(event, Launch):
        yield from event.arguments.values()
    elif isinstance(event, Copy):
        yield event.destination
        yield event.source
    elif isinstance(event, View):
        yield event.view
    elif isinstance(event, Fill | Allocate | GradientRead | GradientWrite | HostRead):
        yield event.array
    elif isinstance(event, UnrecordedCall):
        yield from event.inputs
        yield from event.outputs
    elif isinstance(event, Backward):
        if event.loss is not None:
            yield event.loss
        yield from (array for array, _ in event.seeds)


def _is_whole(array: Array, root: Root | None) -> bool:
    return _spans_root(Place(array.region), root)


def _spans_root(place: Place, root: Root | None) -> bool:
    shape = root.shape if root is not None else None
    for axis, extent in enumerate(place.region.extents):
        if extent.symbol or extent.start != 0:
            return False
        if extent.stop is None:
            continue
        length = shape[axis] if shape is not None and axis < len(shape) else None
        if length is None and axis == 0 and root is not None and len(place.region.extents) == 1:
            length = root.length
        if length is None or extent.stop < length:
            return False
    return True
