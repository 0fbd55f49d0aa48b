"""Losses that add up from tape to tape: their value is a sum over iterations, their gradient is right."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from warp_lint.confirm.live.steps import Step, TapeRecord

if TYPE_CHECKING:
    from warp_lint.confirm.live.recorder import Recorder

MAX_LOSSES = 400


class Losses:
    """Follows the values that backward passes start from."""

    def __init__(self, recorder: Recorder, tell: Callable[[dict[str, Any]], None]) -> None:
        self.recorder = recorder
        self.tell = tell
        self.values: dict[int, tuple[int, float]] = {}  # address -> tape entry and value at its backward

    def before(self, record: TapeRecord, loss: Any) -> None:
        warp = self.recorder.warp
        if not isinstance(loss, warp.array) or loss.size != 1 or not warp.on_cpu(loss) or not loss.ptr:
            return
        touch = self.recorder.touch_array(loss, "loss")
        if not touch.element.floating or touch.element.inner:
            return
        now = float(touch.view().ravel()[0])
        last = self.values.get(touch.pointer)
        if len(self.values) > MAX_LOSSES:
            self.values.clear()
        self.values[touch.pointer] = (record.entered_at, now)
        if last is None or last[0] == record.entered_at or last[1] == 0.0:
            return
        first = self._first(record, touch.pointer)
        if first is None or first[1] != last[1]:
            return
        self.tell(
            {
                "code": "ADJ413",
                "kind": "loss-accumulates",
                "weak": True,
                "array": self.recorder.names.known(loss) or "loss",
                "site": [first[0].site.path, first[0].site.line],
                "read": None,
                "ad": [now],
                "fd": [now - first[1]],
                "element": 0,
                "where": f"{self.recorder.names.known(loss) or 'loss'}[0]",
            }
        )

    def _first(self, record: TapeRecord, pointer: int) -> tuple[Step, float] | None:
        """The first launch of the tape that writes the loss, and the value before it."""
        for step in sorted(record.steps.values(), key=lambda s: s.index):
            for touch in step.touches:
                if touch.pointer == pointer and touch.before is not None and touch.after is not None:
                    before = touch.view(touch.before.ctypes.data - touch.low).ravel()
                    return step, float(before[0])
        return None
