"""Backward passes of tapes that hold nothing: never entered, entered for something else, or reset before."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from warp_lint.trace.access import Place
from warp_lint.trace.analysis import Analysis
from warp_lint.trace.model import Array, Launch, TapeEvent
from warp_lint.trace.windows import Window


@dataclass(slots=True)
class Empty:
    """`writer`: the launch that computed the loss. `reset`: the event that emptied the tape which held it."""

    window: Window
    loss: Array
    writer: int
    reset: int | None


def empty_tapes(analysis: Analysis) -> Iterator[Empty]:
    for result in analysis.results:
        window = result.window
        loss = next(iter(window.seeds()), None)
        if window.operations or window.presumed or window.inside or loss is None:
            continue
        if not analysis.flow.has_gradient(loss) or analysis.opaque_between(-1, window.index, loss, window.tape):
            continue
        change = analysis.timeline.last_change(Place(loss.region), window.index)
        writer = next((k for k in _launches(analysis, window.index) if _writes(analysis, k, loss)), None)
        if change is None or writer is None:
            continue
        reset = _reset(analysis, window, writer)
        others = any(
            seed.region.root == loss.region.root
            for other in analysis.results
            if other is not result
            for seed in other.window.seeds()
        )
        if reset is None and others:
            continue  # some other backward pass is that of the loss
        yield Empty(window, loss, writer, reset)


def _launches(analysis: Analysis, before: int) -> Iterator[int]:
    for index in range(before - 1, -1, -1):
        if isinstance(analysis.events[index], Launch):
            yield index


def _writes(analysis: Analysis, index: int, array: Array) -> bool:
    return any(change.place.region.root == array.region.root for change in analysis.timeline.changes.get(index, ()))


def _reset(analysis: Analysis, window: Window, writer: int) -> int | None:
    """The reset that took the launch off the tape, if it was on this one."""
    event = analysis.events[writer]
    assert isinstance(event, Launch)
    if event.tape != window.tape or not event.recorded:
        return None
    for index in range(writer + 1, window.index):
        other = analysis.events[index]
        if isinstance(other, TapeEvent) and other.action == "reset" and other.target == window.tape:
            return index
    return None
