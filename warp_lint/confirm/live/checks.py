"""What is checked at one backward, and what comes of it: plain data, ready for JSON."""

from __future__ import annotations

import time
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from warp_lint.confirm.live.before import consumed
from warp_lint.confirm.live.birth import births
from warp_lint.confirm.live.differences import Difference, Forward, coarsest, direction_change, element_change
from warp_lint.confirm.live.intent import intended
from warp_lint.confirm.live.internals import Warp
from warp_lint.confirm.live.memory import Saved, elements, locate, read
from warp_lint.confirm.live.recorder import Recorder
from warp_lint.confirm.live.roundtrip import passed_by, probe_parameters
from warp_lint.confirm.live.shadow import NOTHING, Everything, Group, Shadow
from warp_lint.confirm.live.steps import NOWHERE, Site, Step, TapeRecord, Touch
from warp_lint.confirm.live.window import Region, Unfit, Window

EXACT = 1e-3  # relative difference between two exact gradients that counts
TOLERANCE = {2: 0.1, 4: 2e-2, 8: 2e-3}
DROWNED = {2: 0.05, 4: 0.02, 8: 1e-5}  # error of a difference, beside its natural size, above which it says nothing
ELEMENTS = 24
ZERO = "every gradient is zero here"
MAX_GROUPS = 40


@dataclass(slots=True)
class Parameter:
    """An array whose gradient is judged. Arrays are flat float64. `fd` holds a Difference by flat index."""

    name: str
    region: Region
    touch: Touch
    delta: int
    user: Any = None
    own: Any = None
    ideal: Any = None
    fd: dict[int, Difference] = field(default_factory=dict)
    directions: list[tuple[float, float, Difference]] = field(default_factory=list)
    note: str = ""
    natural: float = 0.0  # size of derivatives that matter: objective over the array's own size


@dataclass(slots=True)
class Judgement:
    """Outcome for one backward. `status`: "right", "wrong" or "inconclusive"."""

    status: str
    reason: str = ""
    parameters: list[Parameter] = field(default_factory=list)
    culprits: list[dict[str, Any]] = field(default_factory=list)
    observations: list[dict[str, Any]] = field(default_factory=list)
    seconds: float = 0.0
    launches: int = 0
    method: str = "differences"


class Check:
    """One backward under examination. Runs in a process of its own where the system can fork, since it
    moves the program's memory about; it puts everything back all the same."""

    def __init__(
        self,
        warp: Warp,
        steps: list[Step],
        record: TapeRecord,
        loss: Any,
        grads: Any,
        seconds: float = 4.0,
        seed: int = 0,
        site: Site = NOWHERE,
        recorder: Recorder | None = None,
    ) -> None:
        self.warp = warp
        self.steps = steps
        self.record = record
        self.site = site
        self.recorder = recorder
        self.loss = loss
        self.grads = grads
        self.deadline = time.process_time() + seconds
        self.random = np.random.default_rng(seed)
        self.intended: set[Group] = set()
        self.candidates: list[dict[str, Any]] = []
        self.judgement: Judgement | None = None

    def run(self) -> Judgement:
        started = time.perf_counter()
        try:
            judgement = self._run()
        except Unfit as error:
            judgement = Judgement("inconclusive", str(error))
        judgement.seconds = time.perf_counter() - started
        return judgement

    # Set-up

    def _run(self) -> Judgement:
        self.window = window = Window(self.warp, self.steps, self.record)
        arrays = self._arrays()
        extents = [*window.extents, *self._gradient_extents(arrays)]
        with Saved(extents) as saved:
            return self._examine(window, saved)

    def _arrays(self) -> list[Any]:
        """Live array objects of the tape."""
        found: dict[int, Any] = {}
        for step in self.window.entries:
            if step.kind == "launch":
                for value in (*step.entry[3], *step.entry[4]):
                    if self.warp.is_struct(value):
                        for member in self.warp.struct_arrays(value):
                            found[id(member)] = member
                    elif self.warp.is_array(value):
                        found[id(value)] = value
            else:
                for value in step.keep:
                    if self.warp.is_array(value):
                        found[id(value)] = value
        for value in self._seed_arrays():
            found[id(value)] = value
        return list(found.values())

    def _seed_arrays(self) -> list[Any]:
        if self.loss is not None:
            return [self.loss]
        result: list[Any] = []
        for array, seed in (self.grads or {}).items():
            result.extend((array, seed))
        return [a for a in result if isinstance(a, self.warp.array)]

    def _gradient_extents(self, arrays: list[Any]) -> list[tuple[int, int]]:
        result: list[tuple[int, int]] = []
        for array in arrays:
            result.append(self.warp.extent(array))
            grad = getattr(array, "grad", None)
            if grad is not None:
                result.append(self.warp.extent(grad))
        return [e for e in result if e[1] > e[0]]

    def _examine(self, window: Window, saved: Saved) -> Judgement:
        self.saved = saved
        before = self._live_gradients()
        self._original_backward()
        user = {key: (low, read(low, low + content.size)) for key, (low, content) in self._live_gradients().items()}
        saved.restore()
        shadow = self.shadow = Shadow(self.warp, window)
        self._seed(shadow, before)
        self._leaves(shadow)
        # The machinery must first do what Warp did.
        off = self.sweep(NOTHING, leaves_from_zero=False)
        if not self._reproduces(shadow, off, user):
            return self._without_shadow(shadow, user, before, saved)
        own = self.sweep(NOTHING)
        self.intended = intended(self)
        ideal = self.sweep(self.everything())
        parameters = self._parameters(shadow, user, own, ideal)
        judgement = self.judgement = Judgement("right", parameters=parameters, launches=len(window.entries))
        self._differences(judgement)
        saved.restore()
        probe_parameters(self, judgement)
        self._judge(judgement)
        self.candidates = [*self._unrecorded_forward(ideal), *consumed(self)]
        saved.restore()
        if judgement.status == "wrong":
            self._culprits(judgement, ideal)
            saved.restore()
            if any(not np.all(np.isfinite(p.ideal)) for p in self.wrong):
                judgement.culprits.extend(births(self))
                saved.restore()
            if any(not self._ideal_fits(p) for p in self.wrong):
                from warp_lint.confirm.live.attribution import wrong_launches

                born = {c["kernel"] for c in judgement.culprits if c["kind"] == "birth"}
                found = wrong_launches(self, born)
                saved.restore()
                judgement.culprits.extend(found)
                if not found and not born:
                    judgement.culprits.extend(passed_by(self))
            if not judgement.culprits and not self._plainly_wrong():
                judgement.status = "inconclusive"
                judgement.reason = "finite differences disagree, but no overwrite and no launch explains it"
        return judgement

    def sweep(self, on: Any, leaves_from_zero: bool = True) -> Any:
        """A sweep that starts from memory as the program left it: replays may have changed it."""
        self.saved.restore()
        return self.shadow.sweep(on, leaves_from_zero)

    def _without_shadow(self, shadow: Shadow, user: Any, before: Any, saved: Saved) -> Judgement:
        """The shadow can't be trusted. Only a launch whose adjoint is wrong by itself may then be blamed."""
        judgement = self.judgement = Judgement("right", launches=len(self.window.entries))
        judgement.reason = "the shadow tape did not reproduce the gradient"
        own = self.sweep(NOTHING)
        judgement.parameters = self._parameters(shadow, user, own, own)
        for parameter in judgement.parameters:
            earlier = before.get((parameter.touch.pointer, parameter.delta))
            if earlier is None or earlier[1].any():
                judgement.status = "inconclusive"
                return judgement
            parameter.own = parameter.ideal = parameter.user
        self._differences(judgement)
        saved.restore()
        self._judge(judgement)
        judgement.reason = "the shadow tape did not reproduce the gradient"
        if judgement.status == "wrong":
            from warp_lint.confirm.live.attribution import wrong_launches

            judgement.culprits = wrong_launches(self)
            saved.restore()
        if not judgement.culprits:
            judgement.status = "inconclusive"
        return judgement

    def _original_backward(self) -> None:
        method = type(self.record.tape).backward
        getattr(method, "__wrapped__", method)(self.record.tape, self.loss, self.grads)

    def _live_gradients(self) -> dict[tuple[int, int], tuple[int, Any]]:
        """Gradient memory by (address of the data, delta): (address, contents)."""
        result: dict[tuple[int, int], tuple[int, Any]] = {}
        for array in self._arrays():
            grad = getattr(array, "grad", None)
            if grad is None or not array.ptr or not grad.ptr:
                continue
            low, high = self.warp.extent(grad)
            if high > low:
                result[(array.ptr, grad.ptr - array.ptr)] = (low, read(low, high))
        return result

    def _seed(self, shadow: Shadow, before: dict[tuple[int, int], tuple[int, Any]]) -> None:
        window = self.window
        explicit = self.loss is not None or bool(self.grads)
        self.seed_touches: list[tuple[Touch, Any]] = []
        seeded: set[int] = set()
        pairs: list[tuple[Any, Any]] = []
        if self.loss is not None:
            pairs.append((self.loss, None))
        elif self.grads:
            pairs.extend(self.grads.items())
        for array, seed in pairs:
            low, high = self.warp.extent(array)
            index = locate(window.extents, low)
            if index < 0:
                raise Unfit("the array that backward starts from is not on the tape")
            region = window.regions[index]
            touch = _touch_of(self.warp, array)
            values = np.ones(touch.view().shape) if seed is None else _touch_of(self.warp, seed).view().astype(float)
            grad = getattr(array, "grad", None)
            if grad is None and seed is not None:
                grad = seed
            if grad is None:
                raise Unfit("the array that backward starts from has no gradient")
            content = np.zeros(high - low, np.uint8)
            touch.view(content.ctypes.data - touch.low)[...] = values
            delta = grad.ptr - array.ptr
            shadow.seeds[(index, delta)] = (low, content, _element_mask(touch))
            self.seed_touches.append((touch, values))
            region.seed = True
            seeded.add(index)
        outputs = self._outputs()
        for (pointer, delta), (low, content) in before.items():
            index = locate(window.extents, pointer)
            if index < 0 or not content.any():
                continue
            region = window.regions[index]
            if not explicit and index in outputs:
                shadow.seeds[(index, delta)] = (low - delta, content, np.ones(content.size, bool))
                region.seed = True
                live = next((t for _, t in shadow.live_touches if t.pointer == pointer and t.delta == delta), None)
                if live is not None:
                    self.seed_touches.append((live, live.view(content.ctypes.data - low + delta).astype(float)))
            else:
                shadow.start[(index, delta)] = (low - delta, content, None)
        record = self.record
        if 0 < record.differentiated < len(record.tape.launches):
            shadow.skipped = record.differentiated

    def _outputs(self) -> set[int]:
        """Regions that the tape writes and does not read afterwards."""
        last: dict[int, bool] = {}
        for step in self.window.entries:
            for position, touch in enumerate(step.touches):
                index = self.window.region(touch.low).index
                wrote = touch.after is not None and not (step.kind == "copy" and position == 1)
                last[index] = wrote or (last.get(index, False) and False)
        return {index for index, wrote in last.items() if wrote}

    def _leaves(self, shadow: Shadow) -> None:
        """Mark the regions whose contents come from before the tape."""
        window = self.window
        first: dict[int, bool] = {}
        for item in window.timeline:
            if not isinstance(item, Step):
                continue
            for position, touch in enumerate(item.touches):
                index = window.region(touch.low).index
                if index in first:
                    continue
                if (
                    item.kind == "fill"
                    or (item.kind == "copy" and position == 0)
                    or (item.kind == "launch" and window.stores_first(item, touch) and touch.after is not None)
                ):
                    first[index] = False
                else:
                    first[index] = True
        for region in window.regions:
            region.leaf = first.get(region.index, False) and region.floating

    def _reproduces(self, shadow: Shadow, off: Any, user: dict[tuple[int, int], tuple[int, Any]]) -> bool:
        for (pointer, delta), (low, content) in user.items():
            index = locate(self.window.extents, pointer)
            if index < 0:
                continue
            region = self.window.regions[index]
            if not region.floating:
                continue
            found = off.get(shadow.user_key(region, delta, NOTHING))
            offset = low - delta - region.low
            mine = found[offset : offset + content.size] if found is not None else np.zeros(content.size, np.uint8)
            if not np.array_equal(mine, content) and not _equal_floats(mine, content, region):
                return False
        return True

    # Comparison

    def _parameters(self, shadow: Shadow, user: Any, own: Any, ideal: Any) -> list[Parameter]:
        window = self.window
        result: list[Parameter] = []
        everything = self.everything()
        for region in window.regions:
            if not region.leaf or region.seed:
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
                parameter.own = self._values(own.get(shadow.user_key(region, touch.delta, NOTHING)), region, touch)
                parameter.ideal = self._values(
                    ideal.get(shadow.user_key(region, touch.delta, everything)), region, touch
                )
                parameter.user = (
                    touch.view(held[1].ctypes.data - touch.low).astype(float).ravel()
                    if held is not None
                    else parameter.own
                )
                result.append(parameter)
        return result

    def _values(self, content: Any, region: Region, touch: Touch) -> Any:
        if content is None:
            return np.zeros(touch.view().size)
        return touch.view(content.ctypes.data - region.low).astype(float).ravel()

    def objective(self) -> float:
        return float(sum(np.sum(touch.view().astype(float) * values) for touch, values in self.seed_touches))

    def _magnitude(self) -> float:
        return float(sum(np.sum(np.abs(touch.view().astype(float) * values)) for touch, values in self.seed_touches))

    def _differences(self, judgement: Judgement) -> None:
        forward = self.forward = Forward(self.warp, self.window, self.objective)
        forward.frozen = {group[1] for group in self.intended if group[0] == "gradient"}
        if not self.seed_touches:
            return
        self.size = coarsest(self.window, self.window.regions)
        base = forward.check()
        magnitude = self._magnitude()
        if not forward.faithful:
            return
        parameters = judgement.parameters
        per_run = forward.seconds / max(forward.runs, 1)
        left = max(self.deadline - time.process_time(), 0.2)
        affordable = max(int(left / max(per_run, 1e-6) / 8), 2)
        share = max(affordable // max(len(parameters), 1), 1)
        parameters.sort(key=lambda p: _close(p.own, p.ideal))
        for parameter in parameters:
            if time.process_time() > self.deadline and any(p.fd or p.directions for p in parameters):
                break
            self._differentiate(parameter, share, base, magnitude)

    def _differentiate(self, parameter: Parameter, share: int, base: float, magnitude: float) -> None:
        """Finite differences of one array: along a direction if it is large, then by element."""
        forward, size = self.forward, self.size
        initial = self.window.initial[parameter.region.index]
        values = parameter.touch.view(initial.ctypes.data - parameter.region.low)
        flat = values.astype(float).ravel()
        scale = max(float(np.sqrt(np.mean(flat**2))) if flat.size else 1.0, 1e-3)
        parameter.natural = abs(magnitude) / scale
        chosen = self._chosen(parameter, share)
        if flat.size > len(chosen):
            direction = self.random.standard_normal(values.shape)
            direction /= max(float(np.sqrt(np.mean(direction**2))), 1e-12)
            change = direction_change([(parameter.touch, direction)])
            found = forward.derivative(change, size, scale, base, magnitude)
            ad = float(np.sum(direction.ravel() * parameter.own))
            ideal = float(np.sum(direction.ravel() * parameter.ideal))
            parameter.directions.append((ad, ideal, found))
        for number in chosen:
            if parameter.fd and time.process_time() > self.deadline:
                return
            index = np.unravel_index(number, values.shape)
            local = max(abs(flat[number]), 0.1 * scale)
            change = element_change(parameter.touch, parameter.region, tuple(int(i) for i in index))
            parameter.fd[int(number)] = forward.derivative(change, size, local, base, magnitude)

    def _chosen(self, parameter: Parameter, share: int) -> list[int]:
        n = parameter.own.size
        count = min(ELEMENTS, max(share, 1))
        if n <= count:
            return list(range(n))
        gap = np.abs(np.nan_to_num(parameter.own - parameter.ideal))
        order = list(np.argsort(-gap, kind="stable")[: max(count // 2, 1)]) if gap.any() else []
        order += list(np.argsort(-np.abs(np.nan_to_num(parameter.own)), kind="stable")[: max(count // 3, 1)])
        order += list(self.random.integers(0, n, max(count // 4, 1)))
        return list(dict.fromkeys(int(i) for i in order))[:count]

    def _judge(self, judgement: Judgement) -> None:
        tolerance = TOLERANCE[getattr(self, "size", 4)]
        wrong, unclear, checked, nonzero = [], [], 0, False
        for parameter in judgement.parameters:
            scale = max((abs(d.value) for d in parameter.fd.values() if d.known), default=0.0)
            floor = 1e-2 * tolerance * max(scale, 1e-12)
            differs = not _close(parameter.own, parameter.ideal)
            nonzero |= bool(np.any(parameter.own)) or scale > 0
            if not np.all(np.isfinite(parameter.own)):
                wrong.append(parameter)
                continue
            drowned = max(1e-12, DROWNED[getattr(self, "size", 4)] * parameter.natural)
            admitted = refused = 0
            for number, found in parameter.fd.items():
                if not found.known or (
                    found.error > max(0.5 * abs(found.value), 10 * floor, drowned) and not found.kink
                ):
                    continue
                if found.admits(float(parameter.own[number]), tolerance, floor):
                    admitted += 1
                else:
                    refused += 1
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
            judgement.reason = self.forward.why or (
                "finite differences were drowned in rounding"
                if unclear
                else "no array with a gradient reaches this tape"
            )
        elif not nonzero:
            judgement.reason = ZERO
        self.wrong = wrong

    def _ideal_fits(self, parameter: Parameter) -> bool:
        """Whether the differences agree with the ideal gradient, as far as they are known."""
        tolerance = TOLERANCE[getattr(self, "size", 4)]
        scale = max((abs(d.value) for d in parameter.fd.values() if d.known), default=0.0)
        floor = 1e-2 * tolerance * max(scale, 1e-12)
        if not np.all(np.isfinite(parameter.ideal)):
            return False
        return all(d.admits(float(parameter.ideal[i]), tolerance, floor) for i, d in parameter.fd.items() if d.known)

    def is_users(self, path: str) -> bool:
        return self.recorder is None or self.recorder.sites.kind(path) == 2

    def made(self, region: Region) -> Site | None:
        """Where the array over a region was allocated."""
        found = self.recorder.allocated.get(region.low) if self.recorder is not None else None
        return found[0] if found is not None and found[0].line else None

    def stranger(self, touch: Touch, delta: int) -> Parameter:
        """An array with a gradient that the tape doesn't touch."""
        region = Region(-1, touch.low, touch.high, touch.name)
        zeros = np.zeros(touch.view().size)
        return Parameter(touch.name, region, touch, delta, zeros, zeros, zeros)

    def _plainly_wrong(self) -> bool:
        """Whether several differences, each well determined, are far from the gradient."""
        far = 0
        for parameter in self.wrong:
            for number, found in parameter.fd.items():
                gap = abs(found.value - float(parameter.own[number]))
                if found.known and not found.kink and found.error < 0.02 * abs(found.value):
                    plain = gap > 0.2 * max(abs(found.value), abs(float(parameter.own[number])))
                    far += (2 if parameter.own.size == 1 else 1) * plain
        return far >= 2

    @property
    def late(self) -> bool:
        return time.process_time() > self.deadline + 6

    def after_objective(self, step: Step) -> bool:
        """Whether a step of the tape's scope comes after the last write to what backward starts from."""
        seeds = [r for r in self.window.regions if r.seed]
        last = max(
            (s.index for r in seeds for s, t in r.touches if t.after is not None and id(s) in self.window.taped),
            default=None,
        )
        return last is not None and step.index > last

    def _unrecorded_forward(self, ideal: Any) -> list[dict[str, Any]]:
        from warp_lint.confirm.live.before import unrecorded_forward

        try:
            return unrecorded_forward(self, ideal)
        except Unfit:
            return []

    # Culprits

    def _culprits(self, judgement: Judgement, ideal: Any) -> None:
        shadow = self.shadow
        groups = self._groups(shadow)
        for group, description in list(groups.items())[:MAX_GROUPS]:
            if self.late and judgement.culprits:
                break
            on = self.everything([group])
            effect = self._effect(judgement, shadow, self.sweep(on), on)
            if effect is None:
                # Another repair may mend the same thing: does this one alone change anything?
                alone = frozenset({group})
                effect = self._effect(judgement, shadow, self.sweep(alone), alone, alone=True)
            if effect is not None:
                judgement.culprits.append({**description, "group": list(map(str, group)), "effect": effect})
        judgement.culprits.sort(key=lambda c: -float(c["effect"]["relative"]))

    def everything(self, less: Any = ()) -> Everything:
        """All repairs but these, and but what the program says that it wants."""
        return Everything([*less, *self.intended])

    def _effect(
        self, judgement: Judgement, shadow: Shadow, swept: Any, on: Any, alone: bool = False
    ) -> dict[str, Any] | None:
        best: dict[str, Any] | None = None
        for parameter in judgement.parameters:
            if parameter.region.index < 0:
                continue
            found = self._values(
                swept.get(shadow.user_key(parameter.region, parameter.delta, on)), parameter.region, parameter.touch
            )
            reference = parameter.own if alone else parameter.ideal
            finite = np.isfinite(reference)
            gap = np.where(finite, np.abs(found - reference), 0.0)
            scale = max(float(np.max(np.abs(reference[finite]))) if finite.any() else 0.0, 1e-300)
            if alone and gap.any():
                # Only what leads towards the ideal gradient is a cause.
                before, after = np.abs(parameter.own - parameter.ideal), np.abs(found - parameter.ideal)
                if not float(np.nansum(after)) < float(np.nansum(before)):
                    continue
            relative = 1000000000.0 if not np.all(np.isfinite(gap)) else float(gap.max()) / scale if gap.size else 0.0
            if relative > EXACT and (best is None or relative > best["relative"]):
                number = int(np.argmax(np.nan_to_num(gap, nan=np.inf))) if gap.size else 0
                best = {"parameter": parameter.name, "element": number, "relative": min(relative, 1e9),
                        "without": float(found[number]), "with": float(parameter.ideal[number])}  # fmt: skip
        return best

    def _groups(self, shadow: Shadow) -> dict[Group, dict[str, Any]]:
        from warp_lint.confirm.live.culprits import describe_groups

        return describe_groups(self, shadow)


def _touch_of(warp: Warp, array: Any) -> Touch:
    element = warp.element(array.dtype)
    low, high = warp.extent(array)
    return Touch(("array",), low, high, array.ptr, tuple(array.shape), tuple(array.strides), element)


def _element_mask(touch: Touch) -> Any:
    """Which bytes of `[low, high)` belong to the touch's elements."""
    mask = np.zeros(touch.high - touch.low, np.uint8)
    unsigned = np.dtype(f"u{touch.element.dtype.itemsize}")
    element = replace(touch.element, dtype=unsigned)
    view = elements(touch.pointer - touch.low + mask.ctypes.data, touch.shape, touch.strides, element)
    view[...] = np.iinfo(unsigned).max
    return mask.astype(bool)


def _equal_floats(a: Any, b: Any, region: Region) -> bool:
    """Equal as numbers: NaNs count as equal, and -0 as 0."""
    dtype = region.element().dtype
    if a.size % dtype.itemsize:
        return False
    x, y = np.ascontiguousarray(a).view(dtype), np.ascontiguousarray(b).view(dtype)
    return bool(np.array_equal(x, y, equal_nan=True))


def _close(a: Any, b: Any) -> bool:
    scale = max(float(np.nanmax(np.abs(b))) if b.size else 0.0, float(np.nanmax(np.abs(a))) if a.size else 0.0)
    return bool(np.all(np.abs(np.nan_to_num(a, nan=1e300) - np.nan_to_num(b, nan=1e300)) <= EXACT * scale))


__all__ = ["Check", "Judgement", "Parameter"]
