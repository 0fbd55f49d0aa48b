"""Backward passes of a trace, each with the operations it differentiates."""

from __future__ import annotations

from dataclasses import dataclass

from warp_lint.trace.model import Array, Backward, Copy, Event, Launch, RecordFunction, TapeEvent, Trace


@dataclass(slots=True)
class Window:
    """One backward pass. `operations`: events its tape holds, in order. `scopes`: (enter, exit) events
    of the tape since its last reset; exit None while open. `earlier`: the backward passes of this
    tape before it since the reset, as event numbers."""

    index: int
    event: Backward
    tape: int
    operations: tuple[int, ...]
    scopes: tuple[tuple[int, int | None], ...]
    earlier: tuple[int, ...]
    inside: bool  # called inside the scope of a tape
    presumed: bool = False  # no backward pass is seen: it stands for one after the last scope

    @property
    def previous(self) -> int | None:
        return self.earlier[-1] if self.earlier else None

    def entered_after(self, index: int) -> bool:
        """Whether the tape is entered again after an event, on its way to this pass."""
        return any(enter > index for enter, _ in self.scopes)

    @property
    def start(self) -> int:
        return self.operations[0] if self.operations else self.index

    @property
    def last(self) -> int:
        return self.operations[-1] if self.operations else self.index

    def seeds(self) -> list[Array]:
        found = [array for array, _ in self.event.seeds]
        if self.event.loss is not None:
            found.append(self.event.loss)
        return found

    def seedless(self) -> bool:
        return not self.seeds() and not self.event.unknown_arguments


def find_windows(trace: Trace) -> list[Window]:
    """All backward passes, in order."""
    operations: dict[int, list[int]] = {}
    scopes: dict[int, list[tuple[int, int | None]]] = {}
    earlier: dict[int, list[int]] = {}
    open_tapes: list[int] = []
    windows: list[Window] = []
    for index, event in enumerate(trace.events):
        if isinstance(event, TapeEvent):
            if event.action == "enter":
                scopes.setdefault(event.target, []).append((index, None))
                open_tapes.append(event.target)
            elif event.action == "exit":
                if scopes.get(event.target):
                    scopes[event.target][-1] = (scopes[event.target][-1][0], index)
                if event.target in open_tapes:
                    open_tapes.remove(event.target)
            elif event.action == "reset":
                operations.pop(event.target, None)
                scopes.pop(event.target, None)
                earlier.pop(event.target, None)
        elif isinstance(event, Backward):
            windows.append(
                Window(
                    index,
                    event,
                    event.target,
                    tuple(operations.get(event.target, ())),
                    tuple(scopes.get(event.target, ())),
                    tuple(earlier.get(event.target, ())),
                    bool(open_tapes),
                )
            )
            earlier.setdefault(event.target, []).append(index)
        elif event.tape is not None and _recorded(event):
            operations.setdefault(event.tape, []).append(index)
    return windows


def presumed_windows(trace: Trace, windows: list[Window]) -> list[Window]:
    """Windows for tapes that are recorded but not differentiated in what is seen of the program."""
    seen = {window.tape for window in windows}
    operations: dict[int, list[int]] = {}
    ends: dict[int, int] = {}
    enters: dict[int, int] = {}
    for index, event in enumerate(trace.events):
        if isinstance(event, TapeEvent) and event.target not in seen:
            if event.action == "enter":
                enters.setdefault(event.target, index)
            elif event.action == "exit":
                ends[event.target] = index
            elif event.action == "reset":
                operations.pop(event.target, None)
        elif event.tape is not None and event.tape not in seen and _recorded(event):
            operations.setdefault(event.tape, []).append(index)
    found = []
    for tape, held in operations.items():
        end = ends.get(tape)
        if end is None or tape not in enters:
            continue
        event = trace.events[end]
        backward = Backward(location=event.location, call_path=event.call_path, target=tape, unknown_arguments=True)
        found.append(Window(end, backward, tape, tuple(held), ((enters[tape], end),), (), False, True))
    return found


def _recorded(event: Event) -> bool:
    if isinstance(event, Launch):
        return event.recorded and not event.adjoint
    return isinstance(event, RecordFunction) or (isinstance(event, Copy) and event.recorded)
