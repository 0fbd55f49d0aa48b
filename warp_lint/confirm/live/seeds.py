"""Seeds of backward passes: those that an earlier pass has used up, and passes that start from nothing."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from warp_lint.confirm.live.steps import Site, Step, Touch

if TYPE_CHECKING:
    from warp_lint.confirm.live.recorder import Recorder

MAX_SEEDS = 400


@dataclass(slots=True)
class Seed:
    """An array handed over as a gradient (`y.grad = seed`). `left`: what a backward left of it."""

    touch: Touch
    name: str
    values: Any
    left: Any = None
    by: Site | None = None


class Seeds:
    """Tells of seeds handed over again after a backward pass has consumed them."""

    def __init__(self, recorder: Recorder, tell: Callable[[dict[str, Any]], None]) -> None:
        self.recorder = recorder
        self.tell = tell
        self.seeds: dict[int, Seed] = {}
        self.pending: dict[int, tuple[Step, Seed, str]] = {}

    def given(self, step: Step, seed: Any, name: str) -> None:
        if len(self.seeds) > MAX_SEEDS:
            self.seeds.clear()
            self.pending.clear()
        touch = self.recorder.touch_array(seed, "seed")
        values = touch.view().astype(float).ravel()
        old = self.seeds.get(touch.pointer)
        used = old is not None and old.left is not None and old.touch.shape == touch.shape
        if old is not None and used and np.array_equal(values, old.left) and not np.array_equal(values, old.values):
            self.pending[touch.pointer] = (step, old, name or old.name)
            return
        self.pending.pop(touch.pointer, None)
        self.seeds[touch.pointer] = Seed(touch, name, values)

    def before(self) -> None:
        """A backward starts: seeds handed over used up, and not filled since."""
        for step, old, name in self.pending.values():
            values = old.touch.view().astype(float).ravel()
            if old.left is None or not np.array_equal(values, old.left):
                continue
            number = int(np.argmax(np.abs(values - old.values)))
            self.tell(
                {
                    "code": "ADJ410",
                    "kind": "spent",
                    "array": name,
                    "site": [step.site.path, step.site.line],
                    "read": [old.by.path, old.by.line] if old.by is not None else None,
                    "ad": values[:256].tolist(),
                    "fd": old.values[:256].tolist(),
                    "element": number,
                    "where": f"{name}[{number}]",
                }
            )
        self.pending.clear()

    def look(self, site: Site) -> None:
        """After a backward, and after gradients were zeroed: which seeds have gone."""
        for seed in self.seeds.values():
            if seed.left is None:
                now = seed.touch.view().astype(float).ravel()
                if not np.array_equal(now, seed.values):
                    seed.left, seed.by = now, site
