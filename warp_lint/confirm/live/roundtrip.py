"""Gradients that the host breaks: values that leave Warp and come back, and calls that no tape records."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

import numpy as np

from warp_lint.confirm.live.comparison import stranger
from warp_lint.confirm.live.differences import SLOW, derivative
from warp_lint.confirm.live.memory import raw
from warp_lint.confirm.live.rounding import ULP, element_sizes, spread
from warp_lint.confirm.live.steps import Step, Touch
from warp_lint.confirm.live.window import Region

if TYPE_CHECKING:
    from warp_lint.confirm.live.checks import Check
    from warp_lint.confirm.live.judgement import Judgement, Parameter
    from warp_lint.confirm.live.probe import Probe

MAX_ARRAYS = 6
MAX_ELEMENTS = 8


def suspects(check: Check) -> list[Step]:
    """Steps in the tape's scope by which values may pass the tape by; up to backward if it starts off the tape."""
    first, last = check.window.first, check.record.exited_at or check.steps[-1].index
    result = []
    for step in check.steps:
        if step.index < first or not (check.off_tape or (step.index <= last and step.tape is not None)):
            continue
        if (
            step.kind == "call"
            or (step.kind == "read" and "gradient" not in step.options)
            or (step.kind == "copy" and not step.recorded and step.detail == "assign")
        ):
            result.append(step)
    return result


def probe_parameters(check: Check, judgement: Judgement) -> None:
    """Compare with differences of the program itself where its host code may matter."""
    recorder, probe = check.recorder, check.record.probe
    if recorder is None or probe is None or (check.loss is None and not check.grads):
        return
    seen = suspects(check)
    strangers = _strangers(check)
    wanted = (
        [p for p in judgement.parameters if not p.region.seed and p.region.index not in check.window.refilled]
        if seen or check.off_tape or not check.forward.faithful or check.forward.functions
        else []
    )
    if not wanted and not strangers:
        return
    started = time.monotonic()
    base = probe.ask([])
    if not np.isfinite(base):
        return
    known = [p for p in wanted[:MAX_ARRAYS] if _existed(check, p.touch)]
    noise = _rounding(check, probe, base, [p.touch for p in known])
    slow = time.monotonic() - started > (2 if known else 1) * SLOW
    for parameter in known:
        if not check.waited:
            _measure(check, probe, parameter, base, noise, slow)
    for touch, delta in strangers[:MAX_ARRAYS]:
        if check.waited:
            return
        parameter = stranger(touch, delta)
        _measure(check, probe, parameter, base, noise, slow)
        if any(abs(d.value) > 4 * d.error + 1e-12 for d in parameter.fd.values()):
            judgement.parameters.append(parameter)
            if not seen:
                parameter.note = "unseen"


def _rounding(check: Check, probe: Probe, base: float, touches: list[Touch]) -> float:
    """How far the program's objective moves when what it starts from moves by units in the last place."""
    unit = ULP[check.size]
    if not touches:
        return unit * abs(base)

    def again() -> float:
        changes = []
        for touch in touches:
            values = touch.view().astype(float)
            whole = values == np.rint(values)
            changes.append((touch, np.where(whole, 0.0, unit * values * check.random.integers(-1, 2, values.shape))))
        return probe.ask(changes)

    return max(unit * abs(base), spread(base, again, 1))


def _measure(check: Check, probe: Probe, parameter: Parameter, base: float, noise: float, slow: bool) -> None:
    touch, region = parameter.touch, parameter.region
    initial = check.window.initial.get(region.index)
    if initial is None:
        low, initial = touch.low, raw(touch.low, touch.high)
        region = Region(-1, low, touch.high)
    values = touch.view().astype(float)
    sizes = element_sizes(touch, region, initial).ravel()
    size = min(check.size, touch.element.dtype.itemsize)
    numbers = list(range(values.size)) if values.size <= MAX_ELEMENTS else []
    chosen = numbers or sorted({int(i) for i in np.argsort(-np.abs(parameter.own))[:4]} | {0, values.size - 1})
    for number in chosen:

        def at(h: float, number: int = number) -> float:
            change = np.zeros(values.shape)
            change.flat[number] = h
            return probe.ask([(touch, change)])

        found = derivative(at, base, size, float(sizes[number]), noise, slow)
        if found.known:
            parameter.fd[number] = found
            parameter.directions = []
        if probe.broken or check.late or check.waited:
            return


def _existed(check: Check, touch: Touch) -> bool:
    """Whether an array was there when the tape was entered."""
    recorder = check.recorder
    assert recorder is not None
    born = recorder.born.get(touch.pointer)
    return born is None or born <= check.record.entered_at


def _strangers(check: Check) -> list[tuple[Touch, int]]:
    """Arrays with a gradient that were there before the tape and that no step of it touches."""
    recorder = check.recorder
    assert recorder is not None
    result: list[tuple[Touch, int]] = []
    seeds = [check.warp.extent(array) for array in check.seed_arrays()]
    for pointer, reference in list(recorder.gradients.items()):
        array = reference()
        if array is None or getattr(array, "_grad", None) is None or array._grad.ptr != pointer:
            continue
        if not check.warp.on_cpu(array) or not array.ptr or not 0 < array.size <= 4096:
            continue
        low, high = check.warp.extent(array)
        known = any(
            r.low < high and low < r.high and (r.deltas or any(t.position < 0 for _, t in r.touches))
            for r in check.window.regions
        )
        if known or not check.warp.element(array.dtype).floating:
            continue
        touch = recorder.touch_array(array, "array")
        if not _existed(check, touch) or recorder.primal(array.ptr) is not None:
            continue
        if any(low < seed[1] and seed[0] < high for seed in seeds):
            continue
        touch.name = recorder.names.known(array)
        if touch.name and touch.delta is not None:
            result.append((touch, touch.delta))
    return result


def passed_by(check: Check) -> list[dict[str, Any]]:
    """What to blame where differences of the program disagree and every launch is right."""
    seen = suspects(check)
    outside = _after_the_tape(check) if check.off_tape else None
    if outside is not None:
        return [outside]
    calls = [s for s in seen if s.kind == "call"]
    copies = [s for s in seen if s.kind == "copy"]
    chosen = calls or copies or seen
    return [_blame(chosen[0], "ADJ408", "round-trip", chosen[0].touches)] if chosen else []


def _after_the_tape(check: Check) -> dict[str, Any] | None:
    """What computed the array that backward starts from, after the tape's last step: a launch, or the host."""
    recorder = check.recorder
    assert recorder is not None
    low, high = check.seed_touches[0][0].low, check.seed_touches[0][0].high
    last = check.window.entries[-1].index
    for step in check.steps:
        written = [t for t in step.touches if t.after is not None and t.low < high and low < t.high]
        if step.index > last and step.kind == "launch" and written:
            return _blame(step, "ADJ411", "unrecorded-forward", written)
    born = recorder.born.get(low)
    if born is None:
        return None
    reads = [s for s in suspects(check) if s.kind in ("read", "call") and s.index < born]
    return _blame(reads[-1], "ADJ408", "round-trip", reads[-1].touches) if reads else None


def _blame(step: Step, code: str, kind: str, touches: list[Touch]) -> dict[str, Any]:
    return {
        "code": code,
        "kind": kind,
        "site": (step.site.path, step.site.line),
        "array": touches[0].label if touches else "",
        "actor": step.name,
        "path": [(s.path, s.line) for s in step.call_path],
    }
