"""NumPy views of gradients that outlive their function, over memory that was cleared meanwhile.

On the CPU `x.grad.numpy()` is a view. Whoever gets one after the gradient was zeroed reads zeros.
"""

from __future__ import annotations

import sys
import weakref
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from warp_lint.confirm.live.steps import Step, Touch

if TYPE_CHECKING:
    from warp_lint.confirm.live.recorder import Recorder

MAX_VIEWS = 200
MAX_DEPTH = 64


@dataclass(slots=True)
class View:
    """A view that the program took. `frames`: the functions that ran then, outermost first."""

    reference: weakref.ref[Any]
    touch: Touch
    step: Step
    values: Any
    frames: list[tuple[int, Any]]
    cleared: Step | None = None
    owner: tuple[int, Any] | None = None


class Views:
    """Tells of views that outlive the function that took and cleared them."""

    def __init__(self, recorder: Recorder, tell: Callable[[dict[str, Any]], None]) -> None:
        self.recorder = recorder
        self.tell = tell
        self.views: list[View] = []

    def taken(self, step: Step, result: Any) -> None:
        touch = step.touches[0]
        if not isinstance(result, np.ndarray) or result.ctypes.data != touch.pointer or not result.any():
            return
        self.views = [v for v in self.views if v.reference() is not None][-MAX_VIEWS:]
        self.views.append(View(weakref.ref(result), touch, step, result.astype(float).ravel(), _frames()))

    def cleared(self, step: Step) -> None:
        """Something was zeroed: note the views that read zero now."""
        for view in self.views:
            if view.cleared is None and view.reference() is not None and not view.touch.view().any():
                running = set(_frames())
                common = [f for f in view.frames if f in running and f[1].co_name != "<module>"]
                if common:
                    view.cleared, view.owner = step, common[-1]
                    self.recorder.on_step = self.settle

    def settle(self) -> None:
        """Tell of the views whose function has returned."""
        waiting = [v for v in self.views if v.cleared is not None]
        running = set(_frames())
        for view in waiting:
            if view.owner in running:
                continue
            self.views.remove(view)
            if view.reference() is not None and view.cleared is not None:
                values = view.values
                array = self.recorder.primal(view.touch.pointer)
                name = self.recorder.names.known(array) if array is not None else ""
                self.tell(
                    {
                        "code": "ADJ407",
                        "kind": "view",
                        "weak": True,
                        "array": name or view.touch.label.removesuffix(".grad"),
                        "site": [view.cleared.site.path, view.cleared.site.line],
                        "read": [view.step.site.path, view.step.site.line],
                        "ad": [0.0] * min(values.size, 256),
                        "fd": values[:256].tolist(),
                        "element": int(np.argmax(np.abs(values))),
                    }
                )
        if not any(v.cleared is not None for v in self.views):
            self.recorder.on_step = None


def _frames() -> list[tuple[int, Any]]:
    """Frames that run now, outermost first, by identity and code."""
    result: list[tuple[int, Any]] = []
    frame: Any = sys._getframe(1)
    while frame is not None and len(result) < MAX_DEPTH:
        result.append((id(frame), frame.f_code))
        frame = frame.f_back
    result.reverse()
    return result
