"""Adjoints written by hand (`tape.record_func`): what the recorded function does when the backward pass runs it."""

from __future__ import annotations

from dataclasses import dataclass, field

from warp_lint.kernels.effects import Access, Index, Need, Path
from warp_lint.trace.access import Binder, Place
from warp_lint.trace.model import (
    Array,
    Copy,
    Event,
    Fill,
    GradientRead,
    GradientWrite,
    HostRead,
    Launch,
    Opaque,
    RecordFunction,
    UnrecordedCall,
)

FUNCTION: Path = ("recorded function",)


@dataclass(slots=True)
class Reading:
    """A value that the function reads during the backward pass. `adjoint`: it replays a launch, so the value
    should be the one of the forward pass."""

    need: Need
    place: Place
    array: Array
    adjoint: bool


@dataclass(slots=True)
class HandAdjoint:
    """`takes`: arrays whose gradients it starts from. `gives`: arrays whose gradients it changes. `clears`: those
    of `takes` whose gradients it zeroes. `complete`: everything it does was followed."""

    takes: list[Array] = field(default_factory=list)
    gives: list[Array] = field(default_factory=list)
    clears: list[Array] = field(default_factory=list)
    readings: list[Reading] = field(default_factory=list)
    complete: bool = True

    @property
    def known(self) -> bool:
        return bool(self.takes and self.gives)


def hand_adjoint(event: RecordFunction, binder: Binder) -> HandAdjoint | None:
    """What a recorded function does, or None if it isn't known."""
    if event.body is None:
        return None
    found = HandAdjoint()
    written: set[int] = set()
    for inner in event.body:
        _event(inner, found, binder, written)
    return found if found.known else None


def _event(event: Event, found: HandAdjoint, binder: Binder, written: set[int]) -> None:
    if isinstance(event, GradientRead):
        if event.kind != "launch":  # below: an array that a kernel only adds to is not read
            _note(found.takes, event.array)
    elif isinstance(event, GradientWrite):
        _note(found.clears if event.kind == "zero" else found.gives, event.array)
    elif isinstance(event, Launch):
        if event.adjoint:
            _adjoint(event, found, binder)
        else:
            _launch(event, found, binder, written)
    elif isinstance(event, Copy):
        _value(found, event.source, Place(event.source.region, event.whole), (), event, written)
        written.add(event.destination.region.root)
    elif isinstance(event, Fill):
        written.add(event.array.region.root)
    elif isinstance(event, HostRead):
        _value(found, event.array, Place(event.array.region), (), event, written)
    elif isinstance(event, UnrecordedCall | Opaque):
        found.complete = False


def _note(arrays: list[Array], array: Array) -> None:
    if not any(array is other for other in arrays):
        arrays.append(array)


def _adjoint(event: Launch, found: HandAdjoint, binder: Binder) -> None:
    effects = event.effects
    if effects is None:
        found.complete = False
        return
    binding = binder.bind(event)
    for path in binding.writes:
        array = event.arguments[path]
        if array.floating and array.gradient_of is None:
            _note(found.takes, array)
            for source in sorted(effects.flows.get(path, ())):
                given = event.arguments.get(source)
                if given is not None and given.floating and given.gradient_of is None:
                    _note(found.gives, given)
    for need in effects.needs:
        array_needed = event.arguments.get(need.path)
        if array_needed is not None and array_needed.gradient_of is None:
            place = binder.place(event, need.path, need.index, need.component)
            found.readings.append(Reading(need, place, array_needed, True))


def _launch(event: Launch, found: HandAdjoint, binder: Binder, written: set[int]) -> None:
    effects = event.effects
    if effects is None:
        found.complete = False
        for argument in event.arguments.values():
            if argument.gradient_of is not None:
                _note(found.takes, argument.gradient_of)
        return
    for out, sources in effects.values.items():
        for path in sorted(sources - {out}):
            given = event.arguments.get(path)
            if given is not None and given.gradient_of is not None:
                _note(found.takes, given.gradient_of)
    for touch in effects.touches:
        array = event.arguments.get(touch.path)
        if array is None:
            continue
        if touch.access is Access.READ:
            place = binder.place(event, touch.path, touch.index, touch.component)
            _value(found, array, place, touch.index, event, written, touch.path)
        else:
            written.add(array.region.root)


def _value(
    found: HandAdjoint,
    array: Array,
    place: Place,
    index: Index,
    event: Event,
    written: set[int],
    path: Path = FUNCTION,
) -> None:
    if array.gradient_of is not None or array.region.root in written:
        return
    need = Need(path, frozenset(), frozenset(), index, event.location, "product")
    found.readings.append(Reading(need, place, array, False))
