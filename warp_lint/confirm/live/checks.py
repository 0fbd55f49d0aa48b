"""What is checked at one backward."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from warp_lint.confirm.live.before import ideal_sweep
from warp_lint.confirm.live.birth import births
from warp_lint.confirm.live.causes import drop_effects_of, find_causes
from warp_lint.confirm.live.comparison import (
    close,
    differences,
    ideal_fits,
    judge,
    parameters_of,
    plainly_wrong,
    values_of,
)
from warp_lint.confirm.live.differences import Forward
from warp_lint.confirm.live.handles import Handles, States
from warp_lint.confirm.live.intent import intended, responsible
from warp_lint.confirm.live.internals import Warp
from warp_lint.confirm.live.judgement import Judgement, Parameter
from warp_lint.confirm.live.memory import Saved, elements, locate, read
from warp_lint.confirm.live.recorder import Recorder
from warp_lint.confirm.live.remarks import remarks
from warp_lint.confirm.live.roundtrip import passed_by, probe_parameters
from warp_lint.confirm.live.shadow import NOTHING, Everything, Group, Shadow
from warp_lint.confirm.live.steps import NOWHERE, Site, Step, TapeRecord, Touch
from warp_lint.confirm.live.window import Region, Unfit, Window
from warp_lint.confirm.live.writes import find_equal_writes

OFF_TAPE = "the array that backward starts from is not on the tape"
OUTPUT_LAST = frozenset({"array_sum", "array_inner", "array_scan"})  # utilities that write their last array unread


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
        given: Callable[[int], bool] = lambda _: False,
    ) -> None:
        self.warp = warp
        self.given = given  # whether the program itself put a gradient at an address, after the pass before
        self.steps = steps
        self.record = record
        self.site = site
        self.recorder = recorder
        self.loss = loss
        self.grads = grads
        self.deadline = time.process_time() + seconds
        self.patience = time.monotonic() + 2 * seconds + 2  # for copies of the process, whose time is their own
        self.random = np.random.default_rng(seed)
        self.intended: set[Group] = set()
        self.candidates: list[dict[str, Any]] = []
        self.judgement: Judgement | None = None
        self.wrong: list[Parameter] = []
        self.implicit: set[int] = set()  # regions whose contents a recorded function stands for
        self.size = 4  # bytes of the coarsest floating-point type on the tape
        self.forward: Forward
        self.off_tape = False  # backward starts from an array that no step of the tape has
        self.base = self.magnitude = 0.0  # the objective, and the size of the terms it sums

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
        handles = self.recorder.handles if self.recorder is not None else Handles()
        find_equal_writes(self.warp, self.record, self.steps)
        self.window = window = Window(self.warp, self.steps, self.record, states=States(self.warp, handles))
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
        for value in self.seed_arrays():
            found[id(value)] = value
        return list(found.values())

    def seed_arrays(self) -> list[Any]:
        """What backward starts from: the loss, or arrays and their seeds."""
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
        leaves = any(window.regions[index].leaf for index, _ in shadow.start)
        own = self.sweep(NOTHING) if leaves else off
        self.intended = intended(self)
        ideal, consumed = ideal_sweep(self)
        parameters = parameters_of(self, shadow, user, own, ideal)
        kept = self._may_be_meant(shadow)
        if kept and not all(close(p.own, p.ideal) for p in parameters):
            certain = self.sweep(self.everything(kept))
            for parameter in parameters:
                key = shadow.user_key(parameter.region, parameter.delta, self.everything(kept))
                parameter.certain = values_of(certain.get(key), parameter.region, parameter.touch)
        judgement = self.judgement = Judgement("right", parameters=parameters, launches=len(window.entries))
        differences(self, judgement)
        saved.restore()
        probe_parameters(self, judgement)
        judge(self, judgement)
        if self.off_tape and judgement.status != "wrong":
            raise Unfit(OFF_TAPE)
        judgement.observations = remarks(self, judgement)
        self.candidates = [*self._unrecorded_forward(ideal), *consumed]
        saved.restore()
        if judgement.status == "wrong":
            find_causes(self, judgement, ideal)
            saved.restore()
            if any(not np.all(np.isfinite(p.ideal)) for p in self.wrong):
                judgement.culprits.extend(births(self))
                saved.restore()
            if any(not ideal_fits(self, p) for p in self.wrong):
                from warp_lint.confirm.live.attribution import wrong_launches

                born = {c["kernel"] for c in judgement.culprits if c["kind"] == "birth"}
                found = wrong_launches(self, born)
                saved.restore()
                judgement.culprits.extend(found)
                drop_effects_of(judgement.culprits)
                if not found and not born:
                    judgement.culprits.extend(passed_by(self))
            if not judgement.culprits and not plainly_wrong(self):
                judgement.status = "inconclusive"
                judgement.reason = "finite differences disagree, but no overwrite and no launch explains it"
        return judgement

    def _may_be_meant(self, shadow: Shadow) -> list[Group]:
        """Repairs of what may be on purpose: gradients handed from tape to tape, arrays and steps that stop them.
        Without differences, they are no proof."""
        groups: list[Group] = [("leftover", index) for index, _ in shadow.start]
        groups += [("gradient", region.index) for region in shadow.inconsistent()]
        loose = [s for s in self.window.timeline if isinstance(s, Step) and id(s) not in self.window.taped]
        return groups + [("unrecorded", s.site, s.name) for s in loose if s.kind in ("launch", "copy")]

    def sweep(self, on: Any, leaves_from_zero: bool = True) -> Any:
        """A sweep that starts from memory as the program left it: replays may have changed it."""
        self.saved.restore()
        return self.shadow.sweep(on, leaves_from_zero)

    def _without_shadow(self, shadow: Shadow, user: Any, before: Any, saved: Saved) -> Judgement:
        """The shadow can't be trusted. Only a launch whose adjoint is wrong by itself may then be blamed."""
        judgement = self.judgement = Judgement("right", launches=len(self.window.entries))
        judgement.reason = "the shadow tape did not reproduce the gradient"
        own = self.sweep(NOTHING)
        judgement.parameters = parameters_of(self, shadow, user, own, own)
        for parameter in judgement.parameters:
            earlier = before.get((parameter.touch.pointer, parameter.delta))
            if earlier is None or earlier[1].any():
                judgement.status = "inconclusive"
                return judgement
            parameter.own = parameter.ideal = parameter.user
        differences(self, judgement)
        saved.restore()
        judge(self, judgement)
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
            touch = _touch_of(self.warp, array)
            values = np.ones(touch.view().shape) if seed is None else _touch_of(self.warp, seed).view().astype(float)
            if index < 0 or not self._on_tape(window.regions[index]):
                if self.record.probe is None:
                    raise Unfit(OFF_TAPE)
                self.off_tape = True
            if index < 0:
                self.seed_touches.append((touch, values))
                continue
            region = window.regions[index]
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
            # A gradient handed on from another pass starts this one too, wherever on the tape it enters.
            given = region.written and index not in seeded and self.given(pointer + delta)
            if given or (not explicit and index in outputs):
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

    def _on_tape(self, region: Region) -> bool:
        """Whether anything in the tape's scope touches a region."""
        last = self.window.entries[-1].index
        return any(step.index <= last for step, _ in region.touches)

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
        """Mark the regions whose contents come from before the tape; if none has a gradient, those that the host
        fills in its scope before anything else."""
        self._mark_leaves()
        given = [r for r in self.window.regions if r.leaf and not r.seed and r.deltas - {None}]
        if not given and self.window.start_after_fills():
            self._mark_leaves()

    def _mark_leaves(self) -> None:
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
                    or (item.kind == "call" and item.detail in OUTPUT_LAST and position and touch.after is not None)
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
            # Of an array of which a copy takes a part, the tape may touch no more than that.
            start = max(low - delta, region.low)
            end = min(low - delta + content.size, region.high)
            content = content[start - low + delta : end - low + delta]
            mine = found[start - region.low : end - region.low] if found is not None else np.zeros_like(content)
            if not np.array_equal(mine, content) and not _equal_floats(mine, content, region):
                return False
        return True

    def objective(self) -> float:
        return float(sum(np.sum(touch.view().astype(float) * values) for touch, values in self.seed_touches))

    def is_users(self, path: str) -> bool:
        return self.recorder is None or self.recorder.sites.kind(path) == 2

    def made(self, region: Region) -> Site | None:
        """Where the array over a region was allocated: the place that decides on its gradient."""
        found = self.recorder.allocated.get(region.low) if self.recorder is not None else None
        return responsible(found[0]) if found is not None and found[0][-1].line else None

    @property
    def waited(self) -> bool:
        """Whether copies of the process have had their time."""
        return time.monotonic() > self.patience

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

    def everything(self, less: Any = ()) -> Everything:
        """All repairs but these, and but what the program says that it wants."""
        return Everything([*less, *self.intended])


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
