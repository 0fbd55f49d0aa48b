"""The state of every gradient over a trace: dirty, read, cleared, left over.

Runs the reverse sweeps in program order, because what a backward pass starts from depends on what the
passes before it left behind.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from packaging.version import Version

from warp_lint.findings import Location
from warp_lint.trace.flow import Flow, Tier, gradient_key
from warp_lint.trace.model import (
    Array,
    Backward,
    Copy,
    GradientRead,
    GradientWrite,
    Launch,
    Opaque,
    OptimizerStep,
    RecordFunction,
    Region,
    RequiresGrad,
    TapeEvent,
    Trace,
)
from warp_lint.trace.sweep import Residual, Result, Seed, Sweep
from warp_lint.trace.timeline import Timeline
from warp_lint.trace.windows import Window, find_windows, presumed_windows

REPEATS = 3  # sweeps of one unchanged tape before its results are taken over


@dataclass(slots=True)
class State:
    """One gradient. `dirty`: event since which it holds something. `leftover`: that something has been
    passed on already (an operation of the tape wrote the array), so it should not be there."""

    array: Array
    dirty: int | None = None
    by_hand: bool = False
    leftover: bool = False
    regions: list[Region] = field(default_factory=list)
    read: int | None = None
    cleared: int | None = None
    cleared_dirty: int | None = None  # what the last clearing cleared
    cleared_read: bool = False  # whether that had been read
    cleared_leftover: bool = False  # whether it was a leftover that nothing should read anyway
    consumed: int | None = None  # backward pass in which a store consumed it
    view: int | None = None  # a host view of it was kept here
    pending: list[tuple[int, int]] = field(default_factory=list)


@dataclass(slots=True)
class Accumulated:
    """A gradient is read that holds more than one backward pass. `backward` added to what `before` left."""

    read: int
    backward: int
    before: int
    array: Array


@dataclass(slots=True)
class ReadAfterClear:
    """A gradient is read after `clear` zeroed what `backward` put there. `view`: through a host view."""

    read: int
    clear: int
    backward: int
    array: Array
    view: bool = False


@dataclass(slots=True)
class ReadConsumed:
    """The gradient of a stored array is read after the backward pass consumed it."""

    read: int
    backward: int
    array: Array


@dataclass(slots=True)
class ReadTooEarly:
    """A gradient is read before the first backward pass that computes it."""

    read: int
    backward: int
    array: Array


@dataclass(slots=True)
class Unseeded:
    """A backward pass without loss, seed or anything left in the gradients of what its tape wrote.

    `clear`: the event that removed the gradient it could have started from.
    """

    backward: int
    clear: int | None
    array: Array | None


class Gradients:
    """Results of all backward passes, and what is read and cleared around them."""

    def __init__(self, trace: Trace, timeline: Timeline, flow: Flow, target: Version) -> None:
        self.trace = trace
        self.timeline = timeline
        self.flow = flow
        self.target = target
        self.windows = find_windows(trace)
        self.results: list[Result] = []
        self.accumulated: list[Accumulated] = []
        self.after_clear: list[ReadAfterClear] = []
        self.consumed: list[ReadConsumed] = []
        self.early: list[ReadTooEarly] = []
        self.unseeded: list[Unseeded] = []
        self.presumed: list[Result] = []
        self._states: dict[int, State] = {}
        self._tracked: dict[int, dict[int, Array]] = {}  # gradients that zero() of a tape knows
        self._unread: dict[int, tuple[int, Array]] = {}  # first read before any backward
        self._checks: set[Location] = set()  # where gradients known before are looked at again: zeros are expected
        self._repeats: dict[tuple[int, int, int], tuple[int, Result]] = {}
        windows = {window.index: window for window in self.windows}
        for index, event in enumerate(trace.events):
            if isinstance(event, Backward):
                self._backward(windows[index])
            elif isinstance(event, GradientRead) and event.kind != "return":
                self._read(index, event.array, event.kind, event.keeps_view)
            elif isinstance(event, OptimizerStep):
                for gradient in event.gradients:
                    if gradient.gradient_of is not None:
                        self._read(index, gradient.gradient_of, "optimizer", False)
            elif isinstance(event, GradientWrite):
                self._write(index, event)
            elif isinstance(event, TapeEvent) and event.action in ("zero", "reset"):
                for array in self._tracked.get(event.target, {}).values():
                    self._clear(index, array)
            elif isinstance(event, Copy):
                self._copy(event)
            elif isinstance(event, RecordFunction):
                for array in event.arrays:
                    self._track(event.tape, array)
            elif isinstance(event, RequiresGrad) and event.value is False:
                self._states.pop(gradient_key(event.array), None)
            elif isinstance(event, Opaque):
                self._opaque(event)

        self.after_clear = [
            one for one in self.after_clear if one.view or trace.events[one.read].location not in self._checks
        ]
        for window in presumed_windows(trace, self.windows):
            seeds = self._sinks(window)
            self.presumed.append(Sweep(self.timeline, self.flow, self.target, window).run(seeds))

    def _sinks(self, window: Window) -> list[Seed]:
        """Arrays that the tape writes and does not read afterwards: its results, as far as one can tell."""
        seeds: list[Seed] = []
        read: set[int] = set()
        for index in reversed(window.operations):
            event = self.trace.events[index]
            binding = self.timeline.bindings.get(index)
            if isinstance(event, Launch) and binding is not None:
                for path, writes in binding.writes.items():
                    array = event.arguments[path]
                    if array.region.root not in read and self.flow.has_gradient(array) is not False:
                        seeds += [Seed(array, write.place.region, None, False) for write in writes]
                read.update(event.arguments[path].region.root for path in binding.reads)
            elif isinstance(event, Copy):
                read.add(event.source.region.root)
        return seeds

    def _state(self, array: Array) -> State:
        key = gradient_key(array)
        state = self._states.get(key)
        if state is None:
            state = self._states[key] = State(array)
        return state

    def _track(self, tape: int | None, array: Array) -> None:
        if tape is not None:
            self._tracked.setdefault(tape, {})[gradient_key(array)] = array

    def _copy(self, event: Copy) -> None:
        destination, source = event.destination, event.source
        if self.flow.has_gradient(destination) is False or self.flow.has_gradient(source) is False:
            return
        if destination.gradient_of is not None or source.gradient_of is not None:
            return
        if event.tape is not None and event.recorded:
            self._track(event.tape, destination)
            self._track(event.tape, source)
        if not self.flow.has_gradient(source):
            return
        # The copy copies gradients too.
        known = self._states.get(gradient_key(source))
        if known is not None and known.dirty is not None:
            state = self._state(destination)
            state.dirty, state.leftover, state.regions = known.dirty, True, [destination.region]
        elif event.whole and gradient_key(destination) in self._states:
            self._states[gradient_key(destination)].dirty = None

    def _opaque(self, event: Opaque) -> None:
        keys = {gradient_key(array) for array in event.arrays}
        for tape in event.tapes:
            keys.update(self._tracked.get(tape, {}))
        for key in keys:
            self._states.pop(key, None)

    def _clear(self, index: int, array: Array) -> None:
        state = self._states.get(gradient_key(array))
        if state is None:
            return
        if state.dirty is not None or state.cleared is None:
            state.cleared, state.cleared_dirty = index, state.dirty
            state.cleared_read = state.read is not None
            state.cleared_leftover = state.leftover
        state.dirty = None
        state.leftover = False
        state.read = None
        state.consumed = None
        state.pending.clear()
        if state.view is not None and state.cleared != index:
            state.cleared = index

    def _write(self, index: int, event: GradientWrite) -> None:
        if event.kind == "zero":
            self._clear(index, event.array)
            return
        state = self._state(event.array)
        if event.kind != "accumulate":
            state.pending.clear()
            state.leftover = False
            state.read = None
        state.dirty = index
        state.by_hand = True
        state.consumed = None
        state.cleared = None
        state.array = event.array
        state.regions = [event.array.region]

    def _read(self, index: int, array: Array, kind: str, keeps_view: bool) -> None:
        key = gradient_key(array)
        state = self._states.get(key)
        if state is None:
            if kind in ("numpy", "print", "list", "torch") and not self.results:
                self._unread.setdefault(key, (index, array))
            return
        if kind == "view":
            if state.view is not None and state.cleared is not None and state.cleared > state.view:
                backward = state.cleared_dirty if state.cleared_dirty is not None else state.view
                self.after_clear.append(ReadAfterClear(index, state.cleared, backward, array, view=True))
            return
        for backward, before in state.pending:
            self.accumulated.append(Accumulated(index, backward, before, array))
        state.pending.clear()
        if state.dirty is None and state.cleared is not None and state.cleared_dirty is not None:
            place = self.trace.events[index].location
            if state.cleared_read:
                self._checks.add(place)
            elif not state.cleared_leftover:
                self.after_clear.append(ReadAfterClear(index, state.cleared, state.cleared_dirty, array))
        elif state.dirty is None and state.consumed is not None and array.floating and self._intermediate(array):
            self.consumed.append(ReadConsumed(index, state.consumed, array))
        state.read = index
        state.view = index if keeps_view else state.view

    def _intermediate(self, array: Array) -> bool:
        """The array starts without a value of its own, so only what the tape stored can be meant."""
        root = self.trace.roots.get(array.region.root)
        return root is not None and root.origin in ("zeros", "empty", "filled")

    # Backward passes

    def _backward(self, window: Window) -> None:
        for index in window.operations:
            event = self.trace.events[index]
            if isinstance(event, Launch):
                for array in event.arguments.values():
                    if self.flow.has_gradient(array) is not False and array.gradient_of is None:
                        self._track(window.tape, array)
        seeds = self._seeds(window)
        result = self._sweep(window, seeds)
        self.results.append(result)
        self._after(window, result)

    def _seeds(self, window: Window) -> list[Seed]:
        seeds = [Seed(array, array.region) for array in window.seeds()]
        given = {gradient_key(array) for array in window.seeds()}
        for key in given:
            self._states.pop(key, None)
        for key in self._tracked.get(window.tape, {}):
            state = self._states.get(key)
            if state is None or state.dirty is None:
                continue
            leftover = state.dirty if state.leftover else None
            seeds += [Seed(state.array, region, leftover, not state.by_hand) for region in state.regions]
        if window.event.unknown_arguments:
            seeds += self._everything(window)
        elif not given:
            self._check_seeds(window, seeds)
        return seeds

    def _everything(self, window: Window) -> list[Seed]:
        seeds = []
        for index in window.operations:
            event = self.trace.events[index]
            binding = self.timeline.bindings.get(index)
            if isinstance(event, Launch) and binding is not None:
                for path, writes in binding.writes.items():
                    array = event.arguments[path]
                    seeds += [Seed(array, write.place.region, None, False) for write in writes]
        return seeds

    def _check_seeds(self, window: Window, seeds: list[Seed]) -> None:
        """Record a backward pass that starts from nothing."""
        written: dict[int, Array] = {}
        for index in window.operations:
            event = self.trace.events[index]
            binding = self.timeline.bindings.get(index)
            if isinstance(event, RecordFunction) or (isinstance(event, Launch) and event.effects is None):
                return
            if isinstance(event, Launch) and binding is not None:
                for path in binding.writes:
                    written[gradient_key(event.arguments[path])] = event.arguments[path]
            elif isinstance(event, Copy):
                written[gradient_key(event.destination)] = event.destination
        if not written or any(gradient_key(seed.array) in written for seed in seeds):
            return
        if any(isinstance(e, Opaque) for e in self.trace.events[window.start : window.index]):
            return
        clear: int | None = None
        cleared_array: Array | None = None
        for key, array in written.items():
            state = self._states.get(key)
            if state is None or state.cleared_dirty is None or state.cleared is None:
                continue
            if state.cleared > window.last and (clear is None or state.cleared > clear):
                clear, cleared_array = state.cleared, array
        self.unseeded.append(Unseeded(window.index, clear, cleared_array))

    def _sweep(self, window: Window, seeds: list[Seed]) -> Result:
        repeat = (window.tape, window.start, len(window.operations))
        count, known = self._repeats.get(repeat, (0, None))
        if count >= REPEATS and known is not None:
            return Result(
                window,
                known.useful,
                [],
                [],
                [],
                known.residuals,
                known.reached,
                known.leaked_into,
                known.writers,
            )
        result = Sweep(self.timeline, self.flow, self.target, window).run(seeds)
        self._repeats[repeat] = (count + 1, result)
        return result

    def _after(self, window: Window, result: Result) -> None:
        for key, residual in result.residuals.items():
            self._settle(window, key, residual, key in result.reached)
        for key in result.writers:
            if key in result.residuals:
                continue
            state = self._states.get(key)
            if state is None:
                if key in result.reached:
                    event_array = self._tracked.get(window.tape, {}).get(key)
                    if event_array is not None:
                        self._states[key] = State(event_array, consumed=window.index)
                continue
            state.dirty = None
            state.leftover = False
            state.read = None
            state.consumed = window.index
            state.cleared = None
        for key in result.reached:
            early = self._unread.pop(key, None)
            if early is not None and key in result.residuals:
                self.early.append(ReadTooEarly(early[0], window.index, early[1]))

    def _settle(self, window: Window, key: int, residual: Residual, reached: bool) -> None:
        state = self._states.get(key)
        if state is None:
            state = self._states[key] = State(residual.array)
        if not reached and not residual.seed and state.dirty is not None:
            return  # nothing was added
        if state.dirty is not None and reached and not residual.written and state.read is not None:
            state.pending.append((window.index, state.dirty))
        state.array = residual.array
        state.dirty = window.index
        state.by_hand = False
        state.leftover = residual.written and residual.sure
        state.regions = residual.regions
        state.read = None
        state.consumed = None
        state.cleared = None


__all__ = ["Accumulated", "Gradients", "ReadAfterClear", "ReadConsumed", "ReadTooEarly", "Tier", "Unseeded"]
