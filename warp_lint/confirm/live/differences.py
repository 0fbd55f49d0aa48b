"""Finite differences of a recorded forward: it is run again from the contents it began with.

Random draws and host branches stay as they were, so what is compared is the derivative of what ran.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from warp_lint.confirm.live.internals import Warp
from warp_lint.confirm.live.memory import raw, write
from warp_lint.confirm.live.rounding import RUNS, ULP, jitter, spread
from warp_lint.confirm.live.steps import Step, Touch
from warp_lint.confirm.live.window import External, Region, Window

# Relative steps, largest first, for each floating-point size.
STEPS = {2: (0.2, 0.1, 0.05), 4: (3e-2, 1e-2, 3e-3, 1e-3), 8: (1e-3, 1e-4, 1e-5, 1e-6)}
KINK = 0.02
SMALLEST = 1e-8  # least factor of the steps
SLOW = 0.04  # seconds of one forward above which fewer steps are tried


@dataclass(slots=True)
class Difference:
    """A directional derivative: value, estimated error, and whether the function has a kink there.

    `left`, `right`: one-sided derivatives at the smallest step."""

    value: float
    error: float
    kink: bool = False
    left: float = 0.0
    right: float = 0.0

    @property
    def known(self) -> bool:
        return bool(np.isfinite(self.value) and np.isfinite(self.error))

    def admits(self, other: float, tolerance: float, floor: float) -> bool:
        """Whether `other` could be this derivative."""
        if not np.isfinite(other):
            return False
        slack = max(tolerance * max(abs(self.value), abs(other)), 4 * self.error, floor)
        if self.kink:
            low, high = min(self.left, self.right), max(self.left, self.right)
            return low - slack <= other <= high + slack
        return abs(self.value - other) <= slack


class Forward:
    """Runs a window's forward again. `objective()` reads the seeded outputs from memory."""

    def __init__(self, warp: Warp, window: Window, objective: Callable[[], float]) -> None:
        self.warp = warp
        self.window = window
        self.objective = objective
        self.runs = 0
        self.seconds = 0.0
        self.faithful = True
        self.why = ""
        self.frozen: set[int] = set()
        self.noise = 0.0  # measured rounding of the objective
        self.random: Any = None  # moves values by rounding while it is set
        self.functions = [s for s in window.entries if s.kind == "function"]
        self.since = 0  # number of the step before which contents are changed, where the first ones are of no interest

    def run(self, change: Callable[[], None] | None = None) -> float:
        """The objective, with `change` applied to the initial contents, or those at `since`. Leaves memory changed."""
        started = time.perf_counter()
        for region in self.window.regions:
            write(region.low, self.window.initial[region.index])
            if self.random is not None:
                self._round(region.touches[:1])
        self.window.states.start(self.window)
        for item in self.window.timeline:
            if change is not None and (not self.since or (isinstance(item, Step) and item.index >= self.since)):
                change()
                change = None
            if isinstance(item, External):
                raw(item.low, item.low + item.mask.size)[item.mask] = item.content[item.mask]
            elif item.kind == "handle":
                self.window.states.again(item.value, item)
            else:
                self._step(item)
                if self.random is not None and item.kind == "launch":
                    self._round([(item, t) for t in item.touches if t.after is not None])
                if self.frozen:
                    self._freeze(item)
        if change is not None:
            change()
        self.window.states.back()
        self.runs += 1
        self.seconds += time.perf_counter() - started
        return self.objective()

    def _round(self, touches: Sequence[tuple[Step, Touch]]) -> None:
        for _, touch in touches:
            if touch.element.floating:
                jitter(touch, self.random)

    def measure_noise(self, base: float) -> None:
        """How much of the objective is rounding."""
        self.random = np.random.default_rng(0)
        try:
            slow = self.seconds / max(self.runs, 1) > SLOW
            self.noise = spread(base, self.run, 1 if slow else RUNS)
        finally:
            self.random = None

    def _freeze(self, step: Step) -> None:
        """Keep what the program treats as constant at its recorded value."""
        for touch in step.touches:
            if touch.after is not None and self.window.region(touch.low).index in self.frozen:
                write(touch.low, touch.after)

    def _step(self, step: Step) -> None:
        if step.kind == "launch":
            self.warp.run(step.command, step.params, False)
        elif step.kind == "copy":
            destination, source = step.touches[:2]
            values = source.view()
            target = destination.view()
            target[...] = values.reshape(target.shape) if values.shape != target.shape else values
        elif step.kind == "fill":
            touch = step.touches[0]
            content = touch.final()
            if content is None:
                return
            kept = content.copy()
            touch_view = touch.view(kept.ctypes.data - touch.low)
            touch.view()[...] = touch_view
        elif step.kind == "call":
            for touch in step.touches:
                if touch.after is not None:
                    write(touch.low, touch.after)

    def check(self) -> float:
        """Run unchanged; notes in `faithful` whether it gave the recorded contents again."""
        value = self.run()
        for index, (content, known) in self.window.after_entries.items():
            region = self.window.regions[index]
            if not np.array_equal(raw(region.low, region.high)[known], content[known]):
                self.faithful = False
                self.why = f"running the forward again gave other values in `{region.name}`"
                break
        return value

    def derivative(
        self, change: Callable[[float], None], size: int, scale: float, base: float, magnitude: float
    ) -> Difference:
        """Derivative along `change(h)`, which adds `h` times a direction to the initial contents.

        `size`: bytes of the coarsest floating-point type involved; `scale`: size of the values changed;
        `base`: the objective unchanged; `magnitude`: size of the terms it sums.
        """
        noise = max(ULP[size] * max(abs(base), magnitude), self.noise)
        slow = self.seconds / max(self.runs, 1) > SLOW
        return derivative(lambda h: self.run(lambda: change(h)), base, size, scale, noise, slow)


def derivative(
    at: Callable[[float], float], base: float, size: int, scale: float, noise: float, slow: bool
) -> Difference:
    """Derivative at 0 of a function that is `base` there and known up to `noise`. Steps are beside `scale`, as fits
    numbers of `size` bytes; there are fewer if it is `slow`."""
    best: Difference | None = None
    factors = [1.0] if slow else [1.0, 30.0]
    while factors:
        factor = factors.pop(0)
        centred: list[float] = []
        steps = [
            s * scale * factor
            for s in (STEPS[size][:2] if slow and size < 8 else STEPS[size][-3:-1] if slow else STEPS[size])
        ]
        sides: list[tuple[float, float]] = []
        for h in steps:
            up, down = at(h), at(-h)
            centred.append((up - down) / (2 * h))
            sides.append(((base - down) / h, (up - base) / h))
        found = settle(steps, centred, sides, noise)
        if best is None or found.error < best.error:
            best = found
        if not found.known and factor > SMALLEST and size == 8:
            # The edge of the function's domain is nearer than the step.
            factors = [min(factor, 1.0) * 1e-3]
            continue
        # Drowned in rounding: the values may be small beside those that they are added to.
        if not found.known or found.kink or found.error <= 0.05 * abs(found.value) or found.value == 0:
            break
    assert best is not None
    return best


def settle(
    steps: Sequence[float], centred: Sequence[float], sides: Sequence[tuple[float, float]], noise: float
) -> Difference:
    """The best of several central differences: the pair of steps that agree most, extrapolated."""
    if any(_jumps(steps, [pair[side] for pair in sides], noise) for side in (0, 1)):
        # No derivative exists there: none can be refused.
        return Difference(float(centred[-1]), float(abs(centred[-1])), True, float("-inf"), float("inf"))
    best: Difference | None = None
    for i in range(len(steps) - 1):
        ratio = (steps[i] / steps[i + 1]) ** 2
        value = (ratio * centred[i + 1] - centred[i]) / (ratio - 1)
        error = abs(centred[i + 1] - centred[i]) + noise / steps[i + 1]
        if not np.isfinite(value):
            continue
        if best is None or error < best.error:
            best = Difference(float(value), float(error))
            left, right = sides[i + 1]
            best.left, best.right = float(left), float(right)
            wide = abs(sides[i][1] - sides[i][0])
            gap = abs(right - left)
            size = max(abs(left), abs(right), 1e-300)
            # A smooth function's one-sided differences close in with the step; a kink's do not.
            best.kink = gap > KINK * size and gap > 0.5 * wide and gap > 4 * noise / steps[i + 1]
    return best or _one_sided(steps, sides, noise) or Difference(float("nan"), float("inf"))


def _jumps(steps: Sequence[float], slopes: Sequence[float], noise: float) -> bool:
    """Whether a function jumps at the very point: however small the step, its value changes by the same."""
    changes = np.array([h * slope for h, slope in zip(steps, slopes, strict=True)])
    if len(changes) < 3 or not np.all(np.isfinite(changes)) or steps[0] < 9 * steps[-1]:
        return False
    least, most = float(np.min(np.abs(changes))), float(np.max(np.abs(changes)))
    return bool(least > 100 * noise and least > 0.99 * most > 0 and np.all(changes * changes[0] > 0))


def _one_sided(steps: Sequence[float], sides: Sequence[tuple[float, float]], noise: float) -> Difference | None:
    """Where the function ends on one side: the derivative from the other."""
    best: Difference | None = None
    for side in (0, 1):
        if any(np.isfinite(pair[1 - side]) for pair in sides):
            continue
        for i in range(len(steps) - 1):
            ratio = steps[i] / steps[i + 1]
            near, far = sides[i + 1][side], sides[i][side]
            value, error = (ratio * near - far) / (ratio - 1), abs(near - far) + noise / steps[i + 1]
            if (
                np.isfinite(value)
                and error <= 0.1 * abs(value) + noise / steps[i + 1]
                and (not best or error < best.error)
            ):
                best = Difference(float(value), float(error), left=float(value), right=float(value))
        fitted = _power_law(steps, [pair[side] for pair in sides], noise)
        if fitted is not None and (best is None or fitted.error < best.error):
            best = fitted
    return best


def _power_law(steps: Sequence[float], slopes: Sequence[float], noise: float) -> Difference | None:
    """The limit of one-sided slopes that close in on it as some power of the step, as those of x**1.5 do at 0."""
    limits = [_limit(steps[i : i + 3], slopes[i : i + 3]) for i in range(len(steps) - 2)]
    if len(limits) < 2 or not np.all(np.isfinite(limits)):
        return None
    value, error = limits[-1], abs(limits[-1] - limits[-2]) + noise / steps[-1]
    if error > 0.1 * max(abs(value), abs(slopes[-1])):
        return None
    return Difference(float(value), float(error), left=float(value), right=float(value))


def _limit(steps: Sequence[float], slopes: Sequence[float]) -> float:
    """L of slope = L + C * step**p through three points; NaN if no p between 0.1 and 4 fits."""
    first, second = slopes[0] - slopes[1], slopes[1] - slopes[2]
    if not second or not np.isfinite(first / second):
        return float("nan")

    def gap(p: float) -> float:
        a, b, c = (float(h / steps[2]) ** p for h in steps)
        return float(first / second - (a - b) / (b - c))

    low, high = 0.1, 4.0
    if not gap(low) > 0 > gap(high):
        return float("nan")
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if gap(middle) > 0 else (low, middle)
    return float(slopes[2] - second / (float(steps[1] / steps[2]) ** low - 1))


def element_change(touch: Touch, index: tuple[int, ...]) -> Callable[[float], None]:
    """Add to one scalar of an array in memory."""

    def change(h: float) -> None:
        view = touch.view()
        view[index] += np.asarray(h, view.dtype)

    return change


def direction_change(parts: Sequence[tuple[Touch, Any]]) -> Callable[[float], None]:
    """Add `h` times a direction of the same shape to each array."""

    def change(h: float) -> None:
        for touch, direction in parts:
            view = touch.view()
            view += (h * direction).astype(view.dtype)

    return change


def coarsest(window: Window, regions: Sequence[Region]) -> int:
    """Bytes of the coarsest floating-point type that the window's launches touch."""
    sizes = {t.element.dtype.itemsize for r in window.regions for _, t in r.touches if t.element.floating}
    return min(sizes, default=4)


__all__ = ["Difference", "Forward", "coarsest", "derivative", "direction_change", "element_change", "settle"]
