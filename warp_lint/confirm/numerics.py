"""Directional derivatives by finite differences, with an estimate of their own error.

Formulas: central differences with one Richardson step, (4 D(h/2) - D(h)) / 3, as in W. H. Press et
al., *Numerical Recipes*, section 5.7. The error estimate is the disagreement of neighbouring steps
plus the rounding noise of the function values.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

Array = np.ndarray[Any, np.dtype[Any]]

STEPS_64 = (1e-3, 1e-4, 1e-5, 1e-6)
STEPS_32 = (1e-1, 3e-2, 1e-2, 3e-3, 1e-3)
EPSILON_64 = 2.3e-16
EPSILON_32 = 1.2e-7


@dataclass(frozen=True, slots=True)
class Difference:
    """A directional derivative. `error` bounds its error; `left` and `right` are the one-sided ones.
    `smooth` is False where they stay apart as the step shrinks, or nothing converges."""

    value: float
    error: float
    left: float
    right: float
    smooth: bool


def directional(
    evaluate: Callable[[float], Array],
    weight: Array,
    steps: Sequence[float] = STEPS_64,
    epsilon: float = EPSILON_64,
) -> Difference:
    """The derivative of `weight · evaluate(t)` at t = 0.

    `evaluate` returns the flat outputs; they are subtracted before they are weighted, which keeps
    digits that the weighted sums would lose.
    """
    live = weight != 0.0
    w = weight[live]
    base = evaluate(0.0)[live]
    if not np.all(np.isfinite(base)):
        return Difference(math.nan, math.inf, math.nan, math.nan, False)
    weighted = np.abs(w * base)
    moving = np.zeros(base.shape, dtype=bool)  # outputs that stay put cancel exactly
    estimates: list[tuple[float, float]] = []
    sides: list[tuple[float, float, float]] = []
    previous: tuple[float, float] | None = None
    for h in steps:
        plus, minus = evaluate(h)[live], evaluate(-h)[live]
        if not (np.all(np.isfinite(plus)) and np.all(np.isfinite(minus))):
            previous = None
            continue
        half_plus, half_minus = evaluate(h / 2)[live], evaluate(-h / 2)[live]
        if not (np.all(np.isfinite(half_plus)) and np.all(np.isfinite(half_minus))):
            previous = None
            continue
        coarse = float(w @ (plus - minus)) / (2 * h)
        fine = float(w @ (half_plus - half_minus)) / h
        value = (4 * fine - coarse) / 3
        moving |= (plus != base) | (minus != base)
        noise = 4 * epsilon * float(np.sqrt(np.sum(weighted[moving] ** 2)) + 1e-300) / h
        # One step by itself may agree by accident; two neighbours that do are worth more.
        spread = abs(fine - coarse)
        estimates.append((value, max(spread, noise)))
        if previous is not None:
            estimates.append((value, max(abs(value - previous[0]), 0.1 * spread, noise)))
        previous = (value, noise)
        right = 2 * float(w @ (half_plus - base)) / h
        left = 2 * float(w @ (base - half_minus)) / h
        sides.append((right, left, noise))
    if not estimates:
        return Difference(math.nan, math.inf, math.nan, math.nan, False)
    value, error = min(estimates, key=lambda pair: pair[1])
    right, left, _ = sides[-1]
    return Difference(value, error, left, right, _is_smooth(sides, value, error))


def _is_smooth(sides: list[tuple[float, float, float]], value: float, error: float) -> bool:
    """Whether one-sided differences approach each other: their gap is h·f'' at a smooth point."""
    right, left, noise = min(sides, key=lambda side: abs(side[0] - side[1]) + side[2])
    scale = max(abs(value), abs(right), abs(left))
    return abs(right - left) <= 0.02 * scale + 4 * noise and error <= 0.02 * scale + 4 * noise


def disagree(ad: float, difference: Difference, scale: float, tolerance: float) -> bool | None:
    """True if the two values differ beyond doubt, False if they agree, None if this can't be told.

    `scale` is the size of the terms that the directional derivative is a sum of, which bounds how
    well a sum that cancels can be known. A non-finite adjoint of a finite derivative disagrees.
    """
    if not difference.smooth or not math.isfinite(difference.value):
        return None
    if not math.isfinite(ad):
        return True
    size = max(abs(ad), abs(difference.value))
    gap = abs(ad - difference.value)
    floor = tolerance * max(size, 1e-3 * scale)
    if gap > floor + 10 * difference.error and gap > 1e-13:
        return True
    if gap <= floor + 2 * difference.error and difference.error <= max(0.02 * size, floor, 1e-9):
        return False
    return None


def relative_error(ad: float, fd: float) -> float:
    """|ad - fd| relative to the larger of the two; infinite for a non-finite adjoint."""
    if not (math.isfinite(ad) and math.isfinite(fd)):
        return math.inf
    size = max(abs(ad), abs(fd))
    return abs(ad - fd) / size if size > 0.0 else 0.0
