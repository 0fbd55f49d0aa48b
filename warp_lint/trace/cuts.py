"""Where the gradient is cut: places at which the mathematics goes on towards a leaf and the tape doesn't.

Walks from the loss backwards along what the values really depend on, over recorded and unrecorded
events alike, and compares with what gradients can travel through.
"""

from __future__ import annotations

from dataclasses import dataclass

from warp_lint.kernels.effects import Effects, Path
from warp_lint.trace.access import Binding, Place, place_overlap
from warp_lint.trace.flow import Flow, Reading, Tier, recorded
from warp_lint.trace.model import (
    Allocate,
    Array,
    Copy,
    Event,
    Fill,
    Launch,
    Overlap,
    RecordFunction,
    UnrecordedCall,
    covers,
)
from warp_lint.trace.regions import RegionMap
from warp_lint.trace.timeline import Timeline
from warp_lint.trace.windows import Window


@dataclass(slots=True)
class Cut:
    """`kind`: "array" (an array without gradient), "backward" (a kernel without adjoint), "unrecorded"
    (a launch or copy the open tape does not hold), "outside" (no tape open), "tape" (a launch that another
    tape holds), "host" (values through the host), "call" (an unrecorded library call), "view", "pointer"
    (another object of the same memory).

    `array`: the array at which it is cut; for "host", the one that was read.
    """

    kind: str
    index: int
    array: Array
    tier: Tier
    sure: bool


class Cuts:
    """Backward walk of one window over ideal dependences. `found` holds the cuts."""

    def __init__(self, timeline: Timeline, flow: Flow, window: Window, since: int) -> None:
        self.events = timeline.trace.events
        self.timeline = timeline
        self.flow = flow
        self.window = window
        self.found: list[Cut] = []
        self._useful: dict[int, RegionMap[bool]] = {}  # by allocation; the value: surely
        operations = set(window.operations)
        by_hand = [
            k for k in window.operations if isinstance(self.events[k], RecordFunction) and k not in timeline.by_hand
        ]
        self._last_by_hand = by_hand[-1] if by_hand else -1
        for array in window.seeds():
            self._mark(Place(array.region), True)
        if not self._useful:
            return
        for index in range(window.index - 1, since - 1, -1):
            event = self.events[index]
            if isinstance(event, Launch):
                self._launch(index, event, index in operations)
            elif isinstance(event, Copy):
                self._copy(index, event, index in operations)
            elif isinstance(event, Fill | Allocate):
                self._host(index, event, event.array, event.source_arrays)
            elif isinstance(event, UnrecordedCall):
                self._call(index, event)
            elif isinstance(event, RecordFunction):
                self._function(index)

    def _mark(self, place: Place, sure: bool) -> None:
        cells = self._useful.setdefault(place.region.root, RegionMap())
        cells.set(place.region, sure or bool(cells.get(place.region)))

    def _is_useful(self, place: Place) -> bool | None:
        """True surely, False maybe, None not."""
        cells = self._useful.get(place.region.root)
        if cells is None:
            return None
        found: bool | None = None
        for region, sure, _ in cells.overlapping(place.region):
            shared = place_overlap(place, Place(region))
            if shared is Overlap.NONE:
                continue
            found = bool(found) or (sure and shared is Overlap.YES)
        return found

    def _kill(self, place: Place) -> None:
        cells = self._useful.get(place.region.root)
        if cells is None or not place.full:
            return
        for region, _, _ in cells.overlapping(place.region):
            if covers(place.region, region):
                cells.remove(region)

    def _launch(self, index: int, event: Launch, own: bool) -> None:
        effects, binding = event.effects, self.timeline.bindings.get(index)
        if binding is None or event.adjoint:
            return
        if effects is None:
            arrays = [a for a in event.arguments.values() if a.floating]
            if any(self._is_useful(Place(a.region, False)) is not None for a in arrays):
                for array in arrays:
                    self._mark(Place(array.region, False), False)
            return
        useful: dict[Path, bool] = {}
        for path, writes in binding.writes.items():
            array = event.arguments[path]
            if not array.floating or array.gradient_of is not None:
                continue
            answers = [self._is_useful(write.place) for write in writes]
            known = [answer for answer in answers if answer is not None]
            if known:
                useful[path] = any(known)
        self._inner(useful, effects, binding)
        for path, sure in useful.items():
            self._check(index, event, effects, path, sure and effects.complete, own)
        for writes in binding.writes.values():
            for write in writes:
                if write.clears and not write.in_place:
                    self._kill(write.place)
        for path, sure in useful.items():
            for source in effects.flows.get(path, ()):
                if source in binding.renewed:
                    continue
                for place in binding.reads.get(source, ()):
                    self._mark(place, sure)
            for read in (a for arrays in event.scalar_sources.values() for a in arrays):
                self._mark(Place(read.region), sure)

    def _inner(self, useful: dict[Path, bool], effects: Effects, binding: Binding) -> None:
        pending = list(useful)
        while pending:
            path = pending.pop()
            for source in effects.flows.get(path, ()):
                if source in binding.inner and source not in useful:
                    useful[source] = useful[path]
                    pending.append(source)

    def _check(self, index: int, event: Launch, effects: Effects, path: Path, sure: bool, own: bool) -> None:
        array = event.arguments[path]
        readings = self.flow.readings.get(index, {})
        sources = [readings[p] for p in effects.flows.get(path, ()) if p in readings]
        tier = max((reading.actual for reading in sources), default=Tier.NONE)
        for source in sorted(effects.flows.get(path, ())):
            if source in readings:
                self._check_read(index, event.arguments[source], readings[source], sure)
        scalars = [(key, a) for key, arrays in sorted(event.scalar_sources.items()) for a in arrays]
        for key, source_array in scalars:
            if self._scalar_matters(effects, key):
                host = self.flow_at(index, source_array)
                self._add("host", index, source_array, host, sure)
        if tier is Tier.NONE:
            return
        if not recorded(event):
            if event.tape is not None:
                if self.flow.has_gradient(array) is not False:  # else it is detached on purpose, at both ends
                    self._add("unrecorded", index, array, tier, sure)
                return
            # State carried over from an earlier tape is not a forgotten part of the forward computation.
            leaves = [self.flow.own_tier(event.arguments[p]) for p in effects.flows.get(path, ()) if p in readings]
            late = index > self.window.last
            self._add("outside", index, array, tier if late else max(leaves, default=Tier.NONE), sure)
        elif not self.flow.has_adjoint(effects):
            if self.flow.has_gradient(array) is not False:  # else it is detached on purpose, at both ends
                self._add("backward", index, array, tier, sure)
        elif self.flow.has_gradient(array) is False:
            self._add(self._without(array), index, array, tier, sure)
        elif not own:
            self._add("tape", index, array, tier, sure)

    def _scalar_matters(self, effects: Effects, path: Path) -> bool:
        """A floating-point scalar. Integers are indices and counts."""
        for parameter in effects.parameters:
            if parameter.name == path[0]:
                if len(path) > 1:
                    member = next((m for m in parameter.members if m.name == path[1]), None)
                    return member is None or not member.dtype.startswith(("int", "uint", "bool"))
                return not parameter.dtype.startswith(("int", "uint", "bool"))
        return False

    def flow_at(self, index: int, array: Array) -> Tier:
        """The tier an array's values had when the host read them for an event."""
        reading = self.flow.host.get((index, id(array)))
        return reading.actual if reading is not None else Tier.NONE

    def _check_read(self, index: int, array: Array, reading: Reading, sure: bool) -> None:
        """A producer passed the gradient to another object of this memory than the one read here."""
        if reading.foreign is None or reading.actual > Tier.LEAF or reading.upstream <= Tier.LEAF:
            return
        view = self.flow.views.get(id(array))
        writer = self.flow.pointers.get(reading.foreign)
        if view is not None and view.pointer:
            self._add("pointer", index, array, reading.upstream, sure)
        elif writer is not None:
            self._add("pointer", index, writer.view, reading.upstream, sure)
        elif view is not None and self.flow.has_gradient(array) is False:
            self._add("view", index, array, reading.upstream, sure)

    def _without(self, array: Array) -> str:
        view = self.flow.views.get(id(array))
        if view is None:
            return "array"
        if view.pointer:
            return "pointer"
        return "view" if self.flow.has_gradient(view.base) else "array"

    def _copy(self, index: int, event: Copy, own: bool) -> None:
        place = Place(event.destination.region, event.whole)
        sure = self._is_useful(place)
        if sure is None or not event.source.floating or event.destination.gradient_of is not None:
            return
        reading = self.flow.readings.get(index, {}).get(("source",), Reading())
        self._check_read(index, event.source, reading, sure)
        if reading.actual is not Tier.NONE:
            if self.flow.has_gradient(event.destination) is False:
                self._add(self._without(event.destination), index, event.destination, reading.actual, sure)
            elif event.tape is None:
                self._add("outside", index, event.destination, self.flow.own_tier(event.source), sure)
        self._kill(place)
        self._mark(Place(event.source.region), sure)

    def _host(self, index: int, event: Event, array: Array, sources: tuple[Array, ...]) -> None:
        sure = self._is_useful(Place(array.region))
        if sure is None:
            return
        for source in sources:
            self._add("host", index, source, self.flow_at(index, source), sure)
        self._kill(Place(array.region))
        if event.tape is None:
            return  # a new start, made on purpose
        for source in sources:
            self._mark(Place(source.region), sure)

    def _function(self, index: int) -> None:
        """A hand-written adjoint stands for what wrote the arrays whose gradients it takes."""
        function = self.timeline.by_hand.get(index)
        if function is None:
            return
        answers = [self._is_useful(Place(array.region, False)) for array in function.takes]
        if all(answer is None for answer in answers):
            return
        for array in function.takes:
            self._kill(Place(array.region))
        for array in function.gives:
            if not any(array is other for other in function.takes):
                self._mark(Place(array.region), any(answers))

    def _call(self, index: int, event: UnrecordedCall) -> None:
        answers = [self._is_useful(Place(array.region)) for array in event.outputs]
        known = [answer for answer in answers if answer is not None]
        if not known:
            return
        for array in event.inputs:
            if array.floating:
                self._add("call", index, array, self.flow_at(index, array), any(known))
        for array in event.outputs:
            self._kill(Place(array.region))
        for array in event.inputs:
            self._mark(Place(array.region), any(known))

    def _add(self, kind: str, index: int, array: Array, tier: Tier, sure: bool) -> None:
        if kind in ("unrecorded", "host", "call") and index < self._last_by_hand:
            return  # an adjoint written by hand may stand for it
        if tier is not Tier.NONE:
            self.found.append(Cut(kind, index, array, tier, sure))
