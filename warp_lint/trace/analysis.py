"""One trace, analysed: what the tape rules share."""

from __future__ import annotations

import re
from bisect import bisect_right
from functools import cached_property
from typing import Any

from warp_lint.findings import Location, Severity
from warp_lint.settings import Settings
from warp_lint.trace.cuts import Cut, Cuts
from warp_lint.trace.flow import Flow, Repairs, Tier
from warp_lint.trace.gradients import REPEATS, Gradients
from warp_lint.trace.model import (
    Allocate,
    Array,
    Backward,
    Copy,
    Event,
    Fill,
    HostRead,
    Launch,
    Mutate,
    Opaque,
    Rebind,
    RecordFunction,
    TapeEvent,
    Trace,
)
from warp_lint.trace.sweep import Result
from warp_lint.trace.timeline import Timeline
from warp_lint.trace.windows import Window

NO_REPAIRS = Repairs()


class Analysis:
    """Timeline, activity, reverse sweeps and gradient states of one trace."""

    def __init__(self, trace: Trace, settings: Settings, repairs: Repairs = NO_REPAIRS) -> None:
        self.trace = trace
        self.settings = settings
        self.events = trace.events
        self.timeline = Timeline(trace)
        self.flow = Flow(trace, self.timeline, repairs)
        self.gradients = Gradients(trace, self.timeline, self.flow, settings.target)
        self.presuming = False  # rules look at presumed backward passes instead of those seen
        self.shared: dict[str, Any] = {}  # what rules compute once for several of them
        self._repaired: Analysis | None = None
        self._repaired_known = False
        self._cuts: dict[int, list[Cut]] = {}
        self._cut_count: dict[tuple[int, int, int], int] = {}

    @property
    def results(self) -> list[Result]:
        return self.gradients.results

    def cuts(self, window: Window) -> list[Cut]:
        """Where the gradient of a window is cut; the first passes of a repeated tape stand for all."""
        found = self._cuts.get(window.index)
        if found is None:
            repeat = (window.tape, window.start, len(window.operations))
            self._cut_count[repeat] = self._cut_count.get(repeat, 0) + 1
            if self._cut_count[repeat] > REPEATS:
                found = self._cuts[window.index] = []
                return found
            earlier = [w.index for w in self.gradients.windows if w.index < window.start]
            since = earlier[-1] + 1 if earlier else 0
            found = self._cuts[window.index] = Cuts(self.timeline, self.flow, window, since).found
        return found

    def repaired(self) -> Analysis | None:
        """The analysis as if the arrays and kernels at which the gradient is cut were mended, if any are."""
        if not self._repaired_known:
            self._repaired, self._repaired_known = self._repair(), True
        return self._repaired

    def _repair(self) -> Analysis | None:
        known = self.flow.repairs
        arrays, kernels = set(known.arrays), set(known.kernels)
        for window in self.gradients.windows:
            for cut in self.cuts(window):
                event = self.events[cut.index]
                if not isinstance(event, Launch) or cut.tier <= Tier.MAYBE or event.effects is None:
                    continue
                if cut.kind == "array" and not cut.array.requires_grad_literal:
                    arrays.add(id(cut.array))
                elif cut.kind == "backward":
                    kernels.add(event.effects.location)
        repairs = Repairs(frozenset(arrays), frozenset(kernels))
        return Analysis(self.trace, self.settings, repairs) if repairs != known else None

    # Certainty

    @cached_property
    def _opaque(self) -> list[int]:
        return [k for k, e in enumerate(self.events) if isinstance(e, Opaque)]

    def opaque_between(self, first: int, last: int, array: Array | None = None, tape: int | None = None) -> bool:
        """A call that could not be followed got the array or the tape between two events."""
        for index in self._opaque[bisect_right(self._opaque, first) :]:
            if index >= last:
                break
            event = self.events[index]
            assert isinstance(event, Opaque)
            if tape is not None and tape in event.tapes:
                return True
            if array is not None and any(a.region.root == array.region.root for a in event.arrays):
                return True
        return False

    def assumed(self, *indices: int) -> bool:
        """Some of the events were reached through an assumption or belong to a second call."""
        second = self.trace.second_call_from
        return any(self.events[k].assumed or (second is not None and k >= second) for k in indices)

    def arranged(self, *indices: int) -> bool:
        """Some of the events come from what was called to make the entry callable (a constructor), so the
        program may do other things in between."""
        entry = self.trace.entry
        if entry.line == 1:
            return False
        outermost = [(self.events[k].call_path or (self.events[k].location,))[0] for k in indices]
        return any(place.path != entry.path or place.line < entry.line for place in outermost)

    def exclusive(self, *indices: int) -> bool:
        """Some of the events are in opposite arms of one branch."""
        arms: dict[int, bool] = {}
        for index in indices:
            for guard in self.events[index].guards:
                if arms.setdefault(guard.branch, guard.arm) != guard.arm:
                    return True
        return False

    def conditional(self, *indices: int) -> bool:
        """The events are not all under the same unknown conditions."""
        guards = [frozenset(self.events[k].guards) for k in indices]
        return any(g != guards[0] for g in guards[1:])

    def severity(self, tier: Tier, sure: bool, *indices: int) -> Severity:
        """Error only for a leaf whose gradient is read, with nothing assumed on the way.

        A gradient that nothing reads, where others are read, is nobody's concern: info.
        """
        if tier is Tier.LEAF and self.flow.interest:
            return Severity.INFO
        certain = tier is Tier.INTEREST and sure and not self.assumed(*indices) and not self.conditional(*indices)
        return Severity.ERROR if certain else Severity.WARNING

    # Places in the source

    def where(self, index: int) -> Location:
        return self.events[index].location

    def kernel(self, index: int) -> str:
        event = self.events[index]
        if isinstance(event, RecordFunction):
            return "record_func"
        return event.kernel if isinstance(event, Launch) else event.text or type(event).__name__.lower()

    def name(self, array: Array, index: int | None = None) -> str:
        """The array in messages; at an event, as the source calls it there."""
        text = _written(self.events[index], array) if index is not None else ""
        if text:
            return text
        if array.name:
            return array.name
        root = self.trace.roots.get(array.region.root)
        if root is not None and root.name:
            return root.name
        for event in self.events:
            text = _written(event, array)
            if text:
                return text
        return "array"

    def allocation(self, array: Array) -> Location:
        """Where the object was made: a view's own place, else the allocation of its memory."""
        if id(array) not in self.flow.views:
            root = self.trace.roots.get(array.region.root)
            if root is not None and array.location is None:
                return root.location
        if array.location is not None:
            return array.location
        root = self.trace.roots.get(array.region.root)
        assert root is not None
        return root.location

    def responsible(self, array: Array) -> Location:
        """The statement that decides that an array has no gradient: the allocation, or the call of a helper
        that allocates others with one."""
        place = self.allocation(array)
        if id(array) in self.flow.views:
            return place
        if array.decided is not None:
            return array.decided
        root = self.trace.roots.get(array.region.root)
        for site in (place, *(root.call_path[::-1] if root is not None else ())):
            if site not in self._with_gradient:
                return site
        return place

    @cached_property
    def _with_gradient(self) -> set[Location]:
        """Places that allocations of arrays with gradient pass through."""
        places: set[Location] = set()
        for event in self.events:
            if isinstance(event, Allocate) and event.array.requires_grad:
                places.add(event.location)
                places.update(event.call_path)
        return places

    def loop_between(self, first: int, second: int) -> Location | None:
        """The loop in whose different iterations two events happened."""
        for a, b in zip(self.events[first].loops, self.events[second].loops, strict=False):
            if a.loop != b.loop:
                return None
            if a.iteration != b.iteration:
                return a.location
        return None

    def host_read(self, array: Array, before: int) -> int | None:
        """The last time the host read an array before an event."""
        for index in range(before - 1, -1, -1):
            event = self.events[index]
            if isinstance(event, HostRead) and event.array.region.root == array.region.root and event.kind != "view":
                return index
            if isinstance(event, Backward):
                return None
        return None

    # Events by kind

    @cached_property
    def rebinds(self) -> list[tuple[int, Rebind]]:
        return [(k, e) for k, e in enumerate(self.events) if isinstance(e, Rebind)]

    @cached_property
    def mutations(self) -> list[tuple[int, Mutate]]:
        return [(k, e) for k, e in enumerate(self.events) if isinstance(e, Mutate)]

    def scope_of(self, window: Window, index: int) -> tuple[int, int | None] | None:
        """The scope of the window's tape that holds an event."""
        for enter, leave in window.scopes:
            if enter < index and (leave is None or index < leave):
                return enter, leave
        return None

    def event(self, index: int) -> Event:
        return self.events[index]

    def tape_events(self, action: str) -> list[tuple[int, TapeEvent]]:
        return [(k, e) for k, e in enumerate(self.events) if isinstance(e, TapeEvent) and e.action == action]


# A method of an array or a copy, at the start of a statement.
_TARGET = re.compile(
    r"(?:wp\.copy\(\s*(?:dest\s*=\s*)?([\w.\[\]+\-* ]+?)\s*,|([\w.\[\]+\-* ]+?)\.(?:assign|zero_|fill_)\()"
)


def _written(event: Event, array: Array) -> str:
    """What the source calls an array at an event that uses it, or nothing."""
    if isinstance(event, Launch):
        fallback = ""
        for path, text in event.texts.items():
            given = event.arguments.get(path)
            if given is array:
                return text
            if given is not None and given.region.root == array.region.root:
                fallback = fallback or text
        return fallback
    target = event.destination if isinstance(event, Copy) else event.array if isinstance(event, Fill) else None
    if target is not None and event.library is None and target.region.root == array.region.root:
        found = _TARGET.match(event.text)
        return (found.group(1) or found.group(2)) if found else ""
    return ""
