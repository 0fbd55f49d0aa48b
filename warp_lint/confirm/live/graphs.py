"""Graphs captured on the CPU: what a graph holds is done again, one by one and recorded, before it is launched.

While a graph is captured nothing runs, so there are no contents to record then.
"""

from __future__ import annotations

import weakref
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from warp_lint.confirm.live.steps import Site, Step, TapeRecord

if TYPE_CHECKING:
    from warp_lint.confirm.live.recorder import Recorder

UNSEEN = "launches replayed from this graph are not recorded"


@dataclass(slots=True)
class Captured:
    """A backward pass inside a graph: the steps that come before it there, and where it was called."""

    record: TapeRecord
    loss: Any
    grads: Any
    site: Site
    steps: list[Step]


@dataclass(slots=True)
class Capture:
    """A graph being captured, or captured."""

    first: int  # number of its first step
    backwards: list[Captured] = field(default_factory=list)
    launches: int = 0


class Graphs:
    """Follows graphs on the CPU. `check(captured)` is called ahead of a launch of a graph with a backward."""

    def __init__(self, recorder: Recorder) -> None:
        self.recorder = recorder
        self.open: Capture | None = None
        self.known: dict[int, tuple[weakref.ref[Any], Capture]] = {}
        self.check: Callable[[Captured], None] | None = None

    def begin(self) -> None:
        self.open = Capture(self.recorder.counter)

    def end(self, graph: Any) -> None:
        capture, self.open = self.open, None
        if capture is not None and graph is not None:
            self.known[id(graph)] = (weakref.ref(graph), capture)

    def backward(self, record: TapeRecord, loss: Any, grads: Any, site: Site) -> None:
        """A backward pass is captured."""
        if self.open is not None:
            steps = [s for s in self.recorder.steps if s.index >= self.open.first]
            self.open.backwards.append(Captured(record, loss, grads, site, steps))

    def launched(self, graph: Any) -> None:
        reference, capture = self.known.get(id(graph), (None, None))
        if reference is None or capture is None or reference() is not graph:
            self.recorder.note(f"the program launches a captured graph: {UNSEEN}")
            return
        capture.launches += 1
        if not capture.backwards:
            self.recorder.note(f"the program launches a captured graph without a backward pass in it: {UNSEEN}")
            return
        if len(capture.backwards) > 1:
            self.recorder.note("of a graph with several backward passes, only the first was checked")
        if self.check is not None and capture.launches <= self.recorder.entries:
            self.check(capture.backwards[0])


def again(recorder: Recorder, captured: Captured) -> TapeRecord:
    """Do the captured steps, recorded on a tape of its own. Changes memory: for a copy of the process."""
    warp = recorder.warp
    tape = warp.tape.Tape()
    record = recorder.record_of(tape, 1)
    record.checked, record.awaiting, record.enters = True, True, 1
    record.entered_at = recorder.counter
    inside = False
    for old in captured.steps:
        wanted = old.tape == captured.record.id and old.tape is not None
        if wanted and not inside:
            tape.__enter__()
            record.entered_at, record.checked, inside = recorder.steps[-1].index, True, True
        if inside and old.kind == "tape" and old.detail == "exit":
            tape.__exit__(None, None, None)
            inside = False
            continue
        count = len(recorder.steps)
        _do(recorder, old)
        for new in recorder.steps[count:]:
            new.site, new.call_path, new.library = old.site, old.call_path, old.library
            for touch, known in zip(new.touches, old.touches, strict=False):
                touch.name = known.name
    if inside:
        tape.__exit__(None, None, None)
    recorder.graph_tape = tape  # alive as long as the check
    return record


def _do(recorder: Recorder, step: Step) -> None:
    warp = recorder.warp
    if step.kind == "launch" and step.detail == "":
        kernel = step.entry[0] if step.entry else step.kernel
        warp.context.launch(kernel, step.value, inputs=step.inputs, outputs=step.outputs, **step.options)
    elif step.kind == "fill":
        array = step.keep[0]
        array.fill_(step.options["filled"]) if step.detail == "fill_" else array.zero_()
    elif step.kind == "copy":
        warp.context.copy(step.keep[0], step.keep[1], *step.options["window"])
