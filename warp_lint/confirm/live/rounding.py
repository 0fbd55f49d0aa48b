"""How large steps may be, and how much of an objective is rounding: both measured, since neither can be told
from the objective alone."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from warp_lint.confirm.live.steps import Touch
from warp_lint.confirm.live.window import Region

ULP = {2: 1e-3, 4: 1.2e-7, 8: 2.3e-16}
LEAST = 1e-3  # size of an array of zeros that stays one
RUNS = 3


def scale_of(values: Any) -> float:
    """Size of an array's values; never 0."""
    flat = np.abs(np.asarray(values, float).ravel())
    flat = flat[np.isfinite(flat)]
    return max(float(np.sqrt(np.mean(flat**2))) if flat.size else 1.0, LEAST)


def element_sizes(touch: Touch, region: Region, initial: Any, after: Any = ()) -> Any:
    """The size of each element (shape of the touch's view): a step of a derivative must be small beside it.

    A zero that is added to is as large as what it becomes; one that stays is as large as the array's values.
    `initial`: contents of the region; `after`: further contents of it.
    """
    start = np.abs(touch.view(initial.ctypes.data - region.low).astype(float))
    later = np.zeros(start.shape)
    contents = [(t.low, t.after) for _, t in region.touches if t.after is not None]
    contents = [(low, c) for low, c in contents if low <= touch.low and low + c.size >= touch.high]
    for low, content in [*contents, *((region.low, c) for c in after)]:
        later = np.fmax(later, np.abs(touch.view(content.ctypes.data - low).astype(float)))
    sizes = np.where(start > 0, start, later)
    usable = np.isfinite(sizes) & (sizes > 0)
    general = scale_of(start) if start.any() else max(float(np.median(sizes[usable])) if usable.any() else 0.0, 0.0)
    return np.where(usable, sizes, general or LEAST)


def jitter(touch: Touch, random: Any) -> None:
    """Move values in memory by a unit in their last place, at random. Zeros and whole numbers are kept: programs
    compare with them."""
    view = touch.view()
    values = view.astype(float)
    with np.errstate(invalid="ignore", over="ignore"):
        moved = values * (1 + ULP[view.dtype.itemsize] * random.integers(-1, 2, values.shape))
        view[...] = np.where(np.isfinite(values) & (values != np.rint(values)), moved, values).astype(view.dtype)


def spread(base: float, again: Callable[[], float], runs: int = RUNS) -> float:
    """Rounding noise of an objective: how far it typically moves when values move by units in the last place."""
    found = [abs(again() - base) for _ in range(runs)]
    finite = [value for value in found if np.isfinite(value)]
    return float(np.median(finite)) if finite else 0.0
