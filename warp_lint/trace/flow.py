"""Forward activity over a trace: which values depend on a leaf with gradient, and how surely.

Two tiers are followed side by side: *ideal*, what the mathematics of the program depends on, and
*actual*, what the gradients of the tape can travel back through. Where they part, the gradient is cut.
"""

from __future__ import annotations

import enum
from collections.abc import Iterable
from dataclasses import dataclass, field

from warp_lint.findings import Location
from warp_lint.kernels.effects import Effects, Path
from warp_lint.trace.access import Binding, Place
from warp_lint.trace.by_hand import FUNCTION
from warp_lint.trace.model import (
    Allocate,
    Array,
    Backward,
    Copy,
    Fill,
    GradientRead,
    GradientWrite,
    Launch,
    Opaque,
    OptimizerStep,
    RecordFunction,
    RequiresGrad,
    TapeEvent,
    Trace,
    UnrecordedCall,
    View,
    covers,
)
from warp_lint.trace.regions import RegionMap
from warp_lint.trace.timeline import Timeline


class Tier(enum.IntEnum):
    """How surely a value depends on a leaf whose gradient matters."""

    NONE = 0
    MAYBE = 1  # `requires_grad` unknown, or through something unknown
    LEAF = 2  # a leaf with gradient, but nothing is seen to read that gradient
    INTEREST = 3  # a leaf whose gradient something reads


def gradient_key(array: Array) -> int:
    """Where the gradient of an array lives; arrays without one get a key of their own memory."""
    return array.grad_root if array.grad_root is not None else -1 - array.region.root


@dataclass(slots=True)
class Reading:
    """Tiers of one array a launch reads. `foreign`: the gradient key a producer used, if it differs
    from the reader's. `upstream`: what was written into it (without its being a leaf itself)."""

    ideal: Tier = Tier.NONE
    actual: Tier = Tier.NONE
    upstream: Tier = Tier.NONE
    foreign: int | None = None


@dataclass(slots=True)
class Cell:
    """Tiers of a piece of memory, and who can carry its gradient."""

    ideal: Tier
    actual: dict[int, Tier] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Repairs:
    """Cuts that count as mended, so that what they hide is seen too: array objects (by id) that carry a
    gradient after all, and kernels that have an adjoint after all."""

    arrays: frozenset[int] = frozenset()
    kernels: frozenset[Location] = frozenset()


class Flow:
    """Forward pass over the whole trace."""

    def __init__(self, trace: Trace, timeline: Timeline, repairs: Repairs) -> None:
        self.repairs = repairs
        self.trace = trace
        self.timeline = timeline
        self.gradients: dict[int, bool | None] = {}  # by id of the array object
        self.interest: set[int] = set()
        self.views: dict[int, View] = {}  # by id of the view
        self.pointers: dict[int, View] = {}  # handles by pointer, by their own gradient
        self.readings: dict[int, dict[Path, Reading]] = {}  # by event
        self.host: dict[tuple[int, int], Reading] = {}  # by event and id of the array the host read
        self._memory: dict[int, RegionMap[Cell]] = {}
        self._collect()
        for index, event in enumerate(trace.events):
            if isinstance(event, Launch):
                self._launch(index, event)
            elif isinstance(event, Copy):
                self._copy(index, event)
            elif isinstance(event, RecordFunction):
                self._function(index, event)
            elif isinstance(event, Fill):
                self._kill(Place(event.array.region))
                self._from_host(index, event.array, event.source_arrays)
            elif isinstance(event, Allocate):
                self._from_host(index, event.array, event.source_arrays)
            elif isinstance(event, UnrecordedCall):
                tier = self._host_tier(index, event.inputs)
                for array in event.outputs:
                    self._kill(Place(array.region))
                    self._set(array, Place(array.region), tier, Tier.NONE)
            elif isinstance(event, OptimizerStep):
                for array in event.parameters:
                    self._kill(Place(array.region))

    def has_gradient(self, array: Array) -> bool | None:
        """Whether an array object carries a gradient when backward runs; None if unknown."""
        if id(array) in self.repairs.arrays:
            return True
        return self.gradients.get(id(array), array.requires_grad)

    def has_adjoint(self, effects: Effects) -> bool:
        return effects.backward or effects.location in self.repairs.kernels

    def own_tier(self, array: Array) -> Tier:
        """The tier of an array as a leaf."""
        if array.gradient_of is not None or not array.floating:
            return Tier.NONE
        carries = self.has_gradient(array)
        if carries is False:
            return Tier.NONE
        if gradient_key(array) in self.interest:
            return Tier.INTEREST if carries else Tier.MAYBE
        return Tier.LEAF if carries else Tier.MAYBE

    def read(self, array: Array, place: Place) -> Reading:
        """Tiers of what an array object holds in a place now."""
        own = self.own_tier(array)
        reading = Reading(own, own)
        cells = self._memory.get(array.region.root)
        if cells is None:
            return reading
        key = gradient_key(array)
        for _, cell, _ in cells.overlapping(place.region):
            reading.upstream = max(reading.upstream, cell.ideal)
            for other, tier in cell.actual.items():
                if other == key:
                    reading.actual = max(reading.actual, tier)
                elif tier >= Tier.LEAF:
                    reading.foreign = other
        reading.ideal = max(own, reading.upstream)
        if self.has_gradient(array) is False:
            reading.actual = Tier.NONE
        return reading

    def _collect(self) -> None:
        tapes_without_seed: set[int] = set()
        for event in self.trace.events:
            if isinstance(event, RequiresGrad):
                if event.value is not False or self.gradients.get(id(event.array)) is None:
                    self.gradients[id(event.array)] = event.value
            elif isinstance(event, GradientWrite) and event.kind == "replace":
                self.gradients[id(event.array)] = True
            elif isinstance(event, View):
                self.views[id(event.view)] = event
                if event.pointer:
                    self.pointers[gradient_key(event.view)] = event
            elif isinstance(event, GradientRead):
                self.interest.add(gradient_key(event.array))
            elif isinstance(event, Opaque):
                self.interest.update(gradient_key(a.gradient_of) for a in event.arrays if a.gradient_of is not None)
            elif isinstance(event, OptimizerStep):
                self.interest.update(gradient_key(a.gradient_of) for a in event.gradients if a.gradient_of is not None)
            elif isinstance(event, Backward):
                if event.loss is None and not event.seeds and not event.unknown_arguments:
                    tapes_without_seed.add(event.target)
                for array, _ in event.seeds:
                    if array.gradient_of is None:
                        self.gradients[id(array)] = True  # the seed becomes its gradient
                for _, seed in event.seeds:
                    if seed is not None and seed.gradient_of is not None:
                        self.interest.add(gradient_key(seed.gradient_of))
        if tapes_without_seed:
            self._seeds_from_other_tapes(tapes_without_seed)

    def _seeds_from_other_tapes(self, tapes: set[int]) -> None:
        """Arrays whose gradient the backward pass of another tape starts from."""
        recording: list[int] = []
        for event in self.trace.events:
            if isinstance(event, TapeEvent):
                if event.action == "enter":
                    recording.append(event.target)
                elif event.action == "exit" and recording:
                    recording.pop()
            elif isinstance(event, Launch) and event.tape in tapes and event.recorded and event.effects is not None:
                for path in event.effects.flows:
                    if path in event.arguments:
                        self.interest.add(gradient_key(event.arguments[path]))

    def _cells(self, root: int) -> RegionMap[Cell]:
        cells = self._memory.get(root)
        if cells is None:
            cells = self._memory[root] = RegionMap()
        return cells

    def _kill(self, place: Place) -> None:
        if not place.full:
            return
        cells = self._memory.get(place.region.root)
        if cells is None:
            return
        for region, _, _ in cells.overlapping(place.region):
            if covers(place.region, region):
                cells.remove(region)

    def _set(self, array: Array, place: Place, ideal: Tier, actual: Tier) -> None:
        if ideal is Tier.NONE and actual is Tier.NONE:
            return
        cells = self._cells(place.region.root)
        cell = cells.get(place.region)
        if cell is None:
            cell = Cell(Tier.NONE)
            cells.set(place.region, cell)
        cell.ideal = max(cell.ideal, ideal)
        if actual is not Tier.NONE:
            key = gradient_key(array)
            cell.actual[key] = max(cell.actual.get(key, Tier.NONE), actual)

    def _from_host(self, index: int, array: Array, sources: tuple[Array, ...]) -> None:
        self._set(array, Place(array.region), self._host_tier(index, sources), Tier.NONE)

    def _host_tier(self, index: int, sources: Iterable[Array]) -> Tier:
        """Tier of values that were computed on the host from arrays."""
        best = Tier.NONE
        for array in sources:
            reading = self.host[(index, id(array))] = self.read(array, Place(array.region))
            best = max(best, reading.ideal)
        return best

    def _copy(self, index: int, event: Copy) -> None:
        source, destination = event.source, event.destination
        reading = self.read(source, Place(source.region))
        self.readings[index] = {("source",): reading}
        place = Place(destination.region, event.whole)
        self._kill(place)
        if not (source.floating and destination.floating) or destination.gradient_of is not None:
            return
        actual = reading.actual if recorded(event) else Tier.NONE
        carries = self.has_gradient(destination)
        if carries is False:
            actual = Tier.NONE
        elif carries is None:
            actual = min(actual, Tier.MAYBE)
        self._set(destination, place, reading.ideal, actual)

    def _launch(self, index: int, event: Launch) -> None:
        binding = self.timeline.bindings.get(index)
        if binding is None:
            return
        readings: dict[Path, Reading] = {}
        for path, places in binding.reads.items():
            array = event.arguments[path]
            if array.gradient_of is not None or not array.floating:
                continue
            found = Reading()
            for place in places:
                one = self.read(array, place)
                found.ideal, found.actual = max(found.ideal, one.ideal), max(found.actual, one.actual)
                found.upstream = max(found.upstream, one.upstream)
                found.foreign = found.foreign if found.foreign is not None else one.foreign
            readings[path] = found
        self.readings[index] = readings
        if event.effects is None:
            self._unknown_kernel(event, readings)
            return
        self._outputs(index, event, event.effects, binding, readings)

    def _function(self, index: int, event: RecordFunction) -> None:
        """A hand-written adjoint carries gradients from what it takes to what it gives."""
        function = self.timeline.by_hand.get(index)
        if function is None:
            return
        found = Reading()
        for array in function.gives:
            one = self.read(array, Place(array.region, False))
            found.ideal, found.actual = max(found.ideal, one.ideal), max(found.actual, one.actual)
        self.readings[index] = {FUNCTION: found}
        for array in function.takes:
            carries = self.has_gradient(array)
            actual = Tier.NONE if carries is False or not recorded(event) else found.actual
            actual = min(actual, Tier.MAYBE) if carries is None else actual
            self._set(array, Place(array.region, False), found.ideal, actual)

    def _unknown_kernel(self, event: Launch, readings: dict[Path, Reading]) -> None:
        ideal = min(max((r.ideal for r in readings.values()), default=Tier.NONE), Tier.MAYBE)
        actual = min(max((r.actual for r in readings.values()), default=Tier.NONE), Tier.MAYBE)
        for path in readings:
            array = event.arguments[path]
            self._set(array, Place(array.region, False), ideal, actual if recorded(event) else Tier.NONE)

    def _outputs(
        self, index: int, event: Launch, effects: Effects, binding: Binding, readings: dict[Path, Reading]
    ) -> None:
        host = self._host_tier(index, (array for arrays in event.scalar_sources.values() for array in arrays))
        outputs: dict[Path, tuple[Tier, Tier]] = {}
        inside = binding.inner & readings.keys()
        for _ in range(2 if inside else 1):
            for path in binding.writes:
                array = event.arguments[path]
                if not array.floating or array.gradient_of is not None:
                    continue
                sources_of = effects.flows.get(path, frozenset())
                ideal = max((readings[p].ideal for p in sources_of if p in readings), default=Tier.NONE)
                actual = max((readings[p].actual for p in sources_of if p in readings), default=Tier.NONE)
                for inner in inside & sources_of:
                    if inner in outputs:
                        ideal, actual = max(ideal, outputs[inner][0]), max(actual, outputs[inner][1])
                if not recorded(event) or not self.has_adjoint(effects):
                    actual = Tier.NONE
                carries = self.has_gradient(array)
                if carries is False:
                    actual = Tier.NONE
                elif carries is None:
                    actual = min(actual, Tier.MAYBE)
                outputs[path] = (max(ideal, host), actual)
        for path in inside & outputs.keys():
            reading = readings[path]
            reading.ideal = max(reading.ideal, outputs[path][0])
            reading.actual = max(reading.actual, outputs[path][1])
        for path in outputs:
            for write in binding.writes[path]:
                if write.clears and not write.in_place:
                    self._kill(write.place)
        for path, (ideal, actual) in outputs.items():
            for write in binding.writes[path]:
                self._set(event.arguments[path], write.place, ideal, actual)


def recorded(event: Launch | Copy | RecordFunction) -> bool:
    """Whether a tape holds the operation."""
    if isinstance(event, RecordFunction):
        return event.tape is not None
    return event.tape is not None and event.recorded
