"""Writes of values that were there already: comparing contents misses them.

A forward that runs a second time, for a checkpoint say, writes what the first time left.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from warp_lint.confirm.live.internals import Warp
from warp_lint.confirm.live.memory import merged, raw, read, write
from warp_lint.confirm.live.sources import stored_first
from warp_lint.confirm.live.steps import Step, TapeRecord, Touch


def find_equal_writes(warp: Warp, record: TapeRecord, steps: list[Step]) -> None:
    """Note the arrays that launches in a tape's scope stored to without changing them. Memory is left as it was
    found."""
    last = max((s.index for s in record.steps.values()), default=-1)
    for step in steps:
        if not record.entered_at <= step.index <= last:
            continue
        if step.kind != "launch" or not step.held or step.kernel is None or step.detail == "adjoint":
            continue
        doubtful = [
            t
            for t in step.touches
            if t.after is None and t.before is not None and t.element.floating and t.path in stored_first(step.kernel)
        ]
        if doubtful:
            _run(warp, step, doubtful)


def _run(warp: Warp, step: Step, doubtful: list[Touch]) -> None:
    """Launch again, with the doubtful arrays off by their last bit: what is stored to is right again."""
    kept = [(low, read(low, high)) for low, high in merged((t.low, t.high) for t in step.touches)]
    try:
        for touch in step.touches:
            if touch.before is not None:
                write(touch.low, touch.before)
        changed = []
        for touch in doubtful:
            moved = _moved(touch)
            write(touch.low, moved)
            changed.append((touch, moved))
        warp.run(step.command, step.params, False)
        for touch, moved in changed:
            if not np.array_equal(raw(touch.low, touch.high), moved):
                touch.after = touch.before
    finally:
        for low, content in kept:
            write(low, content)


def _moved(touch: Touch) -> Any:
    """The contents of an array with the last bit of each scalar changed."""
    content = touch.before.copy() if touch.before is not None else read(touch.low, touch.high)
    unsigned = np.dtype(f"u{touch.element.dtype.itemsize}")
    view = touch.view(content.ctypes.data - touch.low).view(unsigned)
    view ^= unsigned.type(1)
    return content
