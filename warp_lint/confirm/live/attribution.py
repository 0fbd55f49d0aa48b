"""Which launch has a wrong adjoint of its own: each is tested alone, on the inputs it really had."""

from __future__ import annotations

from collections.abc import Collection
from typing import TYPE_CHECKING, Any

import numpy as np

from warp_lint.confirm.live.comparison import TOLERANCE, difference_of
from warp_lint.confirm.live.differences import STEPS, settle
from warp_lint.confirm.live.memory import read, write
from warp_lint.confirm.live.rounding import ULP, element_sizes, jitter, spread
from warp_lint.confirm.live.shadow import Everything
from warp_lint.confirm.live.sources import kernel_site
from warp_lint.confirm.live.steps import Step
from warp_lint.confirm.live.window import Window

if TYPE_CHECKING:
    from warp_lint.confirm.live.checks import Check

PER_KERNEL = 3
MAX_LAUNCHES = 60
MISSED_ELEMENTS = 4


class _Single(Window):
    """A window of one step of another window."""

    def __init__(self, whole: Window, step: Step) -> None:
        self.warp = whole.warp
        self.record = whole.record
        self.states = whole.states
        self.entries = [step]
        self.taped = {id(step)}
        self.prefix: list[Step] = []
        self.timeline = [step]
        self.later: list[Step] = []
        self._regions()
        self._externals()


def wrong_launches(check: Check, known: Collection[str] = (), trials: int = 3) -> list[dict[str, Any]]:
    """Launches whose adjoint, run on restored inputs, differs from the differences of their forward;
    those of the `known` kernels are left out."""
    result: list[dict[str, Any]] = []
    tested: dict[str, int] = {}
    blamed: set[str] = set(known)
    entries = [s for s in check.window.entries if s.kind == "launch"]
    for step in entries:
        key = step.name
        if key in blamed or tested.get(key, 0) >= PER_KERNEL or sum(tested.values()) >= MAX_LAUNCHES or check.late:
            continue
        tested[key] = tested.get(key, 0) + 1
        if step in check.shadow.disabled:
            if not missed(check, step):
                continue
            path, line = kernel_site(step)
            blamed.add(key)
            launch = (step.site.path, step.site.line)
            result.append(
                {
                    "kind": "disabled",
                    "code": "ADJ405",
                    "kernel": key,
                    "site": (path, line),
                    "launch": launch,
                    "actor": key,
                    "array": "",
                }
            )
            continue
        found = _test(check, step, trials)
        if found is not None:
            blamed.add(key)
            result.append(found)
    return result


def missed(check: Check, step: Step) -> bool:
    """Whether the gradient depends on what a launch without an adjoint writes: with that held constant,
    the differences are others. A launch whose effect cancels (an implicit derivative) is right to have none."""
    forward = check.forward
    outputs = {check.window.region(t.low).index for t in step.touches if t.after is not None and t.element.floating}
    if not outputs or not forward.faithful:
        return bool(outputs)
    wrong = sorted(check.wrong, key=lambda p: len(p.fd))
    compared, kept = 0, set(forward.frozen)
    forward.frozen = kept | outputs
    try:
        for parameter in wrong:
            chosen = [n for n, d in parameter.fd.items() if d.known and not d.kink][:MISSED_ELEMENTS]
            scale = max((abs(parameter.fd[n].value) for n in chosen), default=0.0)
            for number in chosen:
                free, held = parameter.fd[number], difference_of(check, parameter, number)
                compared += held.known
                slack = 4 * (free.error + held.error) + TOLERANCE[check.size] * max(abs(free.value), 1e-2 * scale)
                if held.known and abs(free.value - held.value) > slack:
                    return True
    finally:
        forward.frozen = kept
    return not compared


def _test(check: Check, step: Step, trials: int) -> dict[str, Any] | None:
    """None if the adjoint agrees. Otherwise the input whose gradient is most wrong, with AD and FD."""
    from warp_lint.confirm.live.shadow import Shadow

    warp = check.warp
    window = _Single(check.window, step)
    shadow = Shadow.__new__(Shadow)
    shadow.warp, shadow.window = warp, window
    shadow.live, shadow.adjoints = check.shadow.live, check.shadow.adjoints
    shadow.mutated, shadow.disabled = {}, []
    shadow.live_touches = []
    shadow.stale = []
    shadow._stale_by_step = {}
    shadow.skipped = 0
    shadow.seeds, shadow.start, shadow.groups, shadow.replayed = {}, {}, {}, set()
    kept = [(r.low, read(r.low, r.high)) for r in window.regions]
    for number, build in step.handles.items():
        window.states.put(number, build)
    random = check.random
    try:
        _forward(window, warp, step)
        after = {r.index: read(r.low, r.high) for r in window.regions}
        floating = [r for r in window.regions if r.floating]
        whole = {
            r.index: max(((t) for _, t in r.touches if t.element.floating), key=lambda t: t.high - t.low)
            for r in floating
        }
        sizes = [whole[r.index].element.dtype.itemsize for r in floating]
        if not floating:
            return None
        size = min(sizes)
        worst: dict[str, Any] | None = None
        mismatches: dict[int, int] = {}
        influences: dict[int, bool] = {}
        for _ in range(trials):
            if check.late:
                break
            weights = {}
            moved = {}
            for region in floating:
                touch = whole[region.index]
                view = touch.view(after[region.index].ctypes.data - region.low)
                start = touch.view(window.initial[region.index].ctypes.data - region.low)
                moved[region.index] = bool(np.any(view != start))
                weights[region.index] = np.where(np.isfinite(view), random.standard_normal(view.shape), 0.0)
            if any(moved.values()):
                # What the launch leaves alone passes through unchanged; weighing it would drown the rest.
                weights = {i: w if moved[i] else np.zeros(w.shape) for i, w in weights.items()}
            gradients = _adjoint(shadow, window, step, whole, weights)
            rounding = _rounding(window, warp, step, whole, weights)
            for region in floating:
                if check.late:
                    break
                touch = whole[region.index]
                initial = touch.view(window.initial[region.index].ctypes.data - region.low).astype(float)
                # Steps are relative to each element: what is large beside one says nothing of its derivative.
                own = element_sizes(touch, region, window.initial[region.index], [after[region.index]])
                if region.index not in influences:
                    influences[region.index] = not moved[region.index] or _influences(
                        window, warp, step, touch, own, after
                    )
                if not influences[region.index]:
                    continue
                direction = random.standard_normal(initial.shape) * own
                base = _objective(window, warp, step, whole, weights, None, None, 0.0)
                magnitude = sum(
                    float(np.sum(np.abs(w * whole[i].view(after[i].ctypes.data - window.regions[i].low))))
                    for i, w in weights.items()
                )
                noise = max(ULP[size] * max(abs(base), magnitude), rounding)
                ad = float(np.sum(direction * gradients[region.index]))
                floor = (
                    1e-3
                    * float(np.sum(np.abs(direction * gradients[region.index])))
                    * (0.1 if size == 8 else 1.0)
                    * 0.1
                )
                for factor in (1.0, 30.0):  # the larger where rounding drowns the smaller
                    steps, centred, sides = [s * factor for s in STEPS[size]], [], []
                    for h in steps:
                        up = _objective(window, warp, step, whole, weights, touch, direction, h)
                        down = _objective(window, warp, step, whole, weights, touch, direction, -h)
                        centred.append((up - down) / (2 * h))
                        sides.append(((base - down) / h, (up - base) / h))
                    fd = settle(steps, centred, sides, noise)
                    vague = not fd.known or fd.kink or (fd.error > 0.2 * abs(fd.value) and fd.error > 1e-9)
                    if not vague or not fd.known or fd.kink:
                        break
                if vague and np.isfinite(ad):
                    continue
                if not fd.admits(ad, 5e-3 if size == 8 else 3e-2, floor):
                    mismatches[region.index] = mismatches.get(region.index, 0) + 1
                    gap = abs(ad - fd.value) / max(abs(fd.value), abs(ad), 1e-300) if np.isfinite(ad) else 1e9
                    if worst is None or gap > worst["gap"]:
                        worst = {
                            "gap": gap,
                            "ad": ad,
                            "fd": fd.value,
                            "array": region.name,
                            "parameter": ".".join(touch.path),
                            "index": region.index,
                        }
        if worst is None or max(mismatches.values(), default=0) < 2:
            return None
        path, line = kernel_site(step)
        return {
            **worst,
            "kind": "adjoint",
            "code": "",
            "kernel": step.name,
            "actor": step.name,
            "site": (path, line),
            "launch": (step.site.path, step.site.line),
        }
    finally:
        window.states.back()
        for low, content in kept:
            write(low, content)


def _forward(window: Window, warp: Any, step: Step) -> None:
    for region in window.regions:
        write(region.low, window.initial[region.index])
    warp.run(step.command, step.params, False)


def _influences(window: Window, warp: Any, step: Step, touch: Any, sizes: Any, after: Any) -> bool:
    """Whether what an array held before the launch shows in anything after it."""
    for region in window.regions:
        write(region.low, window.initial[region.index])
    view = touch.view()
    view[...] = (view.astype(float) + 1.5 * sizes).astype(view.dtype)
    warp.run(step.command, step.params, False)
    return any(not np.array_equal(read(r.low, r.high), after[r.index]) for r in window.regions)


def _objective(
    window: Window, warp: Any, step: Step, whole: Any, weights: Any, touch: Any, direction: Any, h: float
) -> float:
    for region in window.regions:
        write(region.low, window.initial[region.index])
    if touch is not None:
        view = touch.view()
        view += (h * direction).astype(view.dtype)
    warp.run(step.command, step.params, False)
    return _weighted(whole, weights)


def _rounding(window: Window, warp: Any, step: Step, whole: Any, weights: Any) -> float:
    """How far the weighted outputs move when the inputs move by units in their last place."""
    random = np.random.default_rng(0)
    base = _objective(window, warp, step, whole, weights, None, None, 0.0)

    def again() -> float:
        for region in window.regions:
            write(region.low, window.initial[region.index])
        for touch in whole.values():
            jitter(touch, random)
        warp.run(step.command, step.params, False)
        return _weighted(whole, weights)

    return spread(base, again)


def _weighted(whole: Any, weights: Any) -> float:
    return float(sum(np.sum(np.where(w != 0, whole[i].view().astype(float) * w, 0.0)) for i, w in weights.items()))


def _adjoint(shadow: Any, window: Window, step: Step, whole: Any, weights: Any) -> dict[int, Any]:
    """Gradients with respect to the launch's inputs, by region, of the weighted sum of its outputs."""
    for region in window.regions:
        region.deltas = {0}
    buffers: dict[Any, Any] = {}

    def gradient(key: Any) -> Any:
        found = buffers.get(key)
        if found is None:
            found = buffers[key] = np.zeros(window.regions[key[0]].size + 8, np.uint8)[: window.regions[key[0]].size]
        return found

    for index, weight in weights.items():
        low = window.regions[index].low
        whole[index].view(gradient((index, "*")).ctypes.data - low)[...] = weight
    for touch in step.touches:
        content = window.needed(step, touch)
        if content is not None:
            write(touch.low, content)
    shadow._launch(step, gradient, Everything(), False, True)
    return {i: whole[i].view(gradient((i, "*")).ctypes.data - window.regions[i].low).astype(float) for i in weights}
