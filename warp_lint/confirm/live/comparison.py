"""A gradient against finite differences of the recorded forward, array by array."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

import numpy as np

from warp_lint.confirm.live.differences import Difference, Forward, coarsest, direction_change, element_change
from warp_lint.confirm.live.judgement import Judgement, Parameter
from warp_lint.confirm.live.memory import raw
from warp_lint.confirm.live.rounding import element_sizes, scale_of
from warp_lint.confirm.live.shadow import NOTHING, Shadow
from warp_lint.confirm.live.steps import Touch
from warp_lint.confirm.live.window import Region

if TYPE_CHECKING:
    from warp_lint.confirm.live.checks import Check

EXACT = 1e-3  # relative difference between two exact gradients that counts
TOLERANCE = {2: 0.1, 4: 2e-2, 8: 2e-3}
DROWNED = {2: 0.05, 4: 0.02, 8: 1e-5}  # error of a difference, beside its natural size, above which it says nothing
AGREES = 0.1  # error of a difference, beside its value, above which agreement says nothing
KINK_ERROR = 0.2  # error of a difference at a kink, beside its sides, above which it says nothing
ELEMENTS = 24
DROWNED_OUT = "finite differences were drowned in rounding"
ZERO = "every gradient is zero here"


def parameters_of(check: Check, shadow: Shadow, user: Any, own: Any, ideal: Any) -> list[Parameter]:
    window = check.window
    result: list[Parameter] = []
    everything = check.everything()
    for region in window.regions:
        if not region.leaf or region.seed or region.index in check.implicit:
            continue
        done: set[int] = set()
        candidates = sorted(
            (
                t
                for _, t in shadow.live_touches
                if t.low >= region.low and t.high <= region.high and t.delta is not None
            ),
            key=lambda t: t.low - t.high,
        )
        for touch in candidates:
            if touch.delta in done or not touch.element.floating or touch.delta is None:
                continue
            done.add(touch.delta)
            name = next((t.name for _, t in region.touches if t.pointer == touch.pointer and t.name), touch.label)
            parameter = Parameter(name, region, touch, touch.delta)
            held = user.get((touch.pointer, touch.delta))
            parameter.own = values_of(own.get(shadow.user_key(region, touch.delta, NOTHING)), region, touch)
            parameter.ideal = values_of(ideal.get(shadow.user_key(region, touch.delta, everything)), region, touch)
            parameter.user = (
                touch.view(held[1].ctypes.data - touch.low).astype(float).ravel() if held is not None else parameter.own
            )
            result.append(parameter)
    return result


def values_of(content: Any, region: Region, touch: Touch) -> Any:
    if content is None:
        return np.zeros(touch.view().size)
    return touch.view(content.ctypes.data - region.low).astype(float).ravel()


def magnitude_of(check: Check) -> float:
    return float(sum(np.sum(np.abs(touch.view().astype(float) * values)) for touch, values in check.seed_touches))


def differences(check: Check, judgement: Judgement) -> None:
    forward = check.forward = Forward(check.warp, check.window, check.objective)
    forward.frozen = {group[1] for group in check.intended if group[0] == "gradient"}
    if check.shadow.skipped:
        forward.since = check.window.entries[check.shadow.skipped].index
    if not check.seed_touches:
        return
    check.size = judgement.size = coarsest(check.window, check.window.regions)
    if check.off_tape:  # only differences of the whole program tell
        check.base, check.magnitude = check.objective(), magnitude_of(check)
        return
    check.base = forward.check()
    check.magnitude = magnitude_of(check)
    if not forward.faithful:
        return
    judgement.value = check.base
    forward.measure_noise(check.base)
    judgement.parameters = [p for p in judgement.parameters if not without_influence(check, p)]
    parameters = judgement.parameters
    per_run = forward.seconds / max(forward.runs, 1)
    left = max(check.deadline - time.process_time(), 0.2)
    affordable = max(int(left / max(per_run, 1e-6) / 8), 2)
    share = max(affordable // max(len(parameters), 1), 1)
    # What is wrong first, then what weighs most: there may not be time for all.
    parameters.sort(key=lambda p: (close(p.own, p.ideal), -float(np.nansum(np.abs(p.own)))))
    for parameter in parameters:
        if time.process_time() > check.deadline and any(p.fd or p.directions for p in parameters):
            break
        differentiate(check, parameter, share)


def without_influence(check: Check, parameter: Parameter) -> bool:
    """Whether the launch that first touches an array overwrites it all, in ways that its source doesn't show:
    what it held before has no derivative to speak of, and its gradient is what the launch left of its output's."""
    touch, region, window = parameter.touch, parameter.region, check.window
    step, first = region.touches[0]
    if step.kind != "launch" or first.after is None or region.index not in window.after_entries:
        return False
    sizes = element_sizes(touch, region, window.initial[region.index])

    def change() -> None:
        view = touch.view()
        view[...] = (view.astype(float) + sizes * check.random.uniform(1.0, 2.0, view.shape)).astype(view.dtype)

    content, known = window.after_entries[region.index]
    return check.forward.run(change) == check.base and bool(
        np.array_equal(raw(region.low, region.high)[known], content[known])
    )


def differentiate(check: Check, parameter: Parameter, share: int) -> None:
    """Finite differences of one array: along a direction if it is large, then by element."""
    forward, size, base, magnitude = check.forward, check.size, check.base, check.magnitude
    initial = check.window.initial[parameter.region.index]
    values = parameter.touch.view(initial.ctypes.data - parameter.region.low)
    flat = values.astype(float).ravel()
    parameter.natural = abs(magnitude) / scale_of(flat)
    chosen = chosen_elements(check, parameter, share)
    if flat.size > len(chosen):
        sizes = element_sizes(parameter.touch, parameter.region, initial)
        scale = float(np.sqrt(np.mean(sizes**2)))

        def along(direction: Any) -> tuple[float, float, Difference]:
            direction = direction / max(float(np.sqrt(np.mean(direction**2))), 1e-300)
            change = direction_change([(parameter.touch, direction)])
            found = forward.derivative(change, size, scale, base, magnitude)
            ad = float(np.sum(direction.ravel() * parameter.own))
            return ad, float(np.sum(direction.ravel() * parameter.ideal)), found

        random = check.random.standard_normal(values.shape)
        parameter.directions.append(along(random * sizes))
        _, _, found = parameter.directions[0]
        if (not found.known or found.error > 0.2 * abs(found.value)) and np.any(parameter.own):
            # Derivatives cancel along a random direction; uphill they add up, and may agree where those drowned.
            uphill = np.sign(parameter.own).reshape(values.shape)
            ad, ideal, found = along(np.where(uphill != 0, uphill, np.sign(random)) * sizes)
            if found.known and found.error <= 0.2 * abs(found.value) and found.admits(ad, TOLERANCE[size], 0.0):
                parameter.directions.append((ad, ideal, found))
    for number in chosen:
        if parameter.fd and time.process_time() > check.deadline:
            return
        parameter.fd[int(number)] = difference_of(check, parameter, number)


def difference_of(check: Check, parameter: Parameter, number: int) -> Difference:
    """The derivative by one element (its flat index) of an array. Its steps are small beside the element;
    where they drown in rounding, larger ones may agree with the gradient but never refuse it."""
    initial = check.window.initial[parameter.region.index]
    values = parameter.touch.view(initial.ctypes.data - parameter.region.low)
    index = tuple(int(i) for i in np.unravel_index(number, values.shape))
    own = float(element_sizes(parameter.touch, parameter.region, initial)[index])
    wide = max(own, 0.1 * scale_of(values))
    change = element_change(parameter.touch, index)

    def derivative(scale: float) -> Difference:
        return check.forward.derivative(change, check.size, scale, check.base, check.magnitude)

    found = derivative(own)
    ad = float(parameter.own[number])
    if wide > 2 * own and (not found.known or found.error > 0.05 * max(abs(found.value), abs(ad))):
        coarse = derivative(wide)
        if coarse.known and coarse.error < found.error and coarse.admits(ad, TOLERANCE[check.size], 0.0):
            return coarse
    return found


def chosen_elements(check: Check, parameter: Parameter, share: int) -> list[int]:
    n = parameter.own.size
    count = min(ELEMENTS, max(share, 1))
    if n <= count:
        return list(range(n))
    gap = np.abs(np.nan_to_num(parameter.own - parameter.ideal))
    order = list(np.argsort(-gap, kind="stable")[: max(count // 2, 1)]) if gap.any() else []
    order += list(np.argsort(-np.abs(np.nan_to_num(parameter.own)), kind="stable")[: max(count // 3, 1)])
    order += list(check.random.integers(0, n, max(count // 4, 1)))
    return list(dict.fromkeys(int(i) for i in order))[:count]


def judge(check: Check, judgement: Judgement) -> None:
    tolerance = TOLERANCE[check.size]
    wrong, unclear, checked, nonzero = [], [], 0, False
    for parameter in judgement.parameters:
        scale = max((abs(d.value) for d in parameter.fd.values() if d.known), default=0.0)
        floor = 1e-2 * tolerance * max(scale, 1e-12)
        fine = _fine_floors(check, parameter, 1e-2 * tolerance)
        differs = not close(parameter.own, parameter.ideal if parameter.certain is None else parameter.certain)
        nonzero |= bool(np.any(parameter.own)) or scale > 1e-12
        if not np.all(np.isfinite(parameter.own)):
            wrong.append(parameter)
            continue
        drowned = max(1e-12, DROWNED[check.size] * parameter.natural)
        admitted = refused = 0
        for number, found in parameter.fd.items():
            ad = float(parameter.own[number])
            if not _tells(found, ad, float(parameter.ideal[number]), floor, drowned):
                continue
            if not found.admits(ad, tolerance, _floor(found, ad, floor, fine.get(number, floor))):
                refused += 1
            elif found.kink or ad == 0.0 or found.error <= max(AGREES * max(abs(found.value), abs(ad)), 10 * floor):
                admitted += 1
        for ad, _, found in parameter.directions:
            if found.known and found.error <= max(0.2 * abs(found.value), 1e-12):
                if found.admits(ad, tolerance, floor):
                    admitted += 1
                elif not found.kink:
                    refused += 1
        checked += admitted + refused
        if refused or (not admitted and differs):
            wrong.append(parameter)
        elif not admitted:
            unclear.append(parameter)
    if wrong:
        judgement.status = "wrong"
    elif not checked:
        judgement.status = "inconclusive"
        judgement.reason = check.forward.why or (
            DROWNED_OUT if unclear else "no array with a gradient reaches this tape"
        )
    elif not nonzero:
        judgement.reason = ZERO
    check.wrong = wrong
    judgement.unclear = [p.name for p in unclear if p.fd and (np.any(p.own) or np.any(p.ideal)) and p.region.index >= 0]


def _tells(found: Difference, ad: float, ideal: float, floor: float, drowned: float) -> bool:
    """Whether a difference is exact enough to say something about a derivative: beside their size, or, for
    a derivative that is zero, beside its natural size."""
    if not found.known:
        return False
    if found.kink:  # where one is told from rounding, and from bends nearby
        return found.error <= KINK_ERROR * max(abs(found.left), abs(found.right), 10 * floor)
    if found.error <= max(0.5 * max(abs(found.value), abs(ad)), 10 * floor):
        return True
    return ad == ideal == 0.0 and found.error <= drowned


def ideal_fits(check: Check, parameter: Parameter) -> bool:
    """Whether the differences agree with the ideal gradient, as far as they are known."""
    tolerance = TOLERANCE[check.size]
    scale = max((abs(d.value) for d in parameter.fd.values() if d.known), default=0.0)
    floor = 1e-2 * tolerance * max(scale, 1e-12)
    if not np.all(np.isfinite(parameter.ideal)):
        return False
    fine = _fine_floors(check, parameter, 1e-2 * tolerance)
    for number, found in parameter.fd.items():
        ideal = float(parameter.ideal[number])
        if found.known and not found.admits(ideal, tolerance, _floor(found, ideal, floor, fine.get(number, floor))):
            return False
    return True


def _fine_floors(check: Check, parameter: Parameter, share: float) -> dict[int, float]:
    """By element, how large a derivative is nothing beside the others of its array, each times its element's size:
    in an array of small and large elements the derivatives differ as widely."""
    initial = check.window.initial.get(parameter.region.index)
    if initial is None or not parameter.fd:
        return {}
    sizes = element_sizes(parameter.touch, parameter.region, initial).ravel()
    most = max((abs(d.value) * sizes[i] for i, d in parameter.fd.items() if d.known), default=0.0)
    return {i: share * max(float(most / sizes[i]), 1e-12) for i in parameter.fd}


def _floor(found: Difference, ad: float, floor: float, fine: float) -> float:
    """What a derivative may be off, for rounding: little where the difference shows that there is little of it."""
    return min(floor, fine) if found.error <= 0.02 * max(abs(found.value), abs(ad)) else floor


def stranger(touch: Touch, delta: int) -> Parameter:
    """An array with a gradient that the tape doesn't touch."""
    region = Region(-1, touch.low, touch.high, touch.name)
    zeros = np.zeros(touch.view().size)
    return Parameter(touch.name, region, touch, delta, zeros, zeros, zeros)


def plainly_wrong(check: Check) -> bool:
    """Whether several differences, each well determined, are far from the gradient."""
    far = 0
    for parameter in check.wrong:
        for number, found in parameter.fd.items():
            gap = abs(found.value - float(parameter.own[number]))
            if found.known and not found.kink and found.error < 0.02 * abs(found.value):
                plain = gap > 0.2 * max(abs(found.value), abs(float(parameter.own[number])))
                far += (2 if parameter.own.size == 1 else 1) * plain
    return far >= 2


def close(a: Any, b: Any) -> bool:
    scale = max(float(np.nanmax(np.abs(b))) if b.size else 0.0, float(np.nanmax(np.abs(a))) if a.size else 0.0)
    return bool(np.all(np.abs(np.nan_to_num(a, nan=1e300) - np.nan_to_num(b, nan=1e300)) <= EXACT * scale))
