"""One launch as a map from memory to memory, its adjoint compared with finite differences."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import warp as wp

from warp_lint.confirm import numerics
from warp_lint.confirm.judge import NOTHING
from warp_lint.confirm.memory import Leaf, Memory, Sizes, Snapshot, parameters_of
from warp_lint.confirm.scenarios import Facts, Filler, Scenario

Array = np.ndarray[Any, np.dtype[Any]]
Stage = Callable[[bool], None]

TOLERANCE_64 = 1e-5
TOLERANCE_32 = 2e-2
MAX_LEAVES = 10
MAX_PROBES = 24
DRAWS = 10
FEW_PROBES = 6  # are enough once one disagrees


@dataclass(slots=True)
class Sample:
    """What one scenario showed. `outcome`: "agree", "mismatch", "unsure" (kink, noise) or "invalid".

    Of a mismatch: `restored` is "agree" if the gradient is right once overwritten arrays are put
    back, "changes" if putting them back changes it, "same" if it doesn't matter; `alone` is the
    outcome of the first thread by itself; `flat` tells that the forward has no derivative there.
    """

    outcome: str
    why: str = ""
    restored: str = ""
    alone: str = ""
    flat: bool = False
    kinked: bool = False
    identity: bool = False
    ad: float | None = None
    fd: float | None = None
    where: str = ""
    moved: bool = False  # some derivative wasn't zero

    def as_json(self) -> dict[str, object]:
        return {name: getattr(self, name) for name in self.__slots__}


@dataclass(slots=True)
class Launch:
    """A kernel with arguments over a memory, ready to run forward and backward."""

    kernel: Any
    memory: Memory
    start: Snapshot
    command: Any
    tape: Any
    keep: list[Any] = field(default_factory=list)

    def forward(self) -> None:
        self.command.launch()

    def backward(self, cotangent: list[Array]) -> Array:
        """The adjoint of every float, given that of every float; reads memory as it is now."""
        self.memory.clear_grads()
        for leaf, values in zip(self.memory.floats, cotangent, strict=True):
            assert leaf.grads is not None
            leaf.grads[...] = values
        self.tape.backward()
        return np.concatenate([_flat(leaf.grads) for leaf in self.memory.floats])


def _flat(values: Array | None) -> Array:
    assert values is not None
    return values.astype(np.float64).ravel()


def prepare(kernel: Any, facts: Facts, scenario: Scenario, seed: int, index: int, threads: int | None = None) -> Launch:
    """Build arguments for a scenario and run the launch once, recorded. Raises `UnsupportedError`."""
    filler = Filler(facts, scenario, seed, index)
    side = 10
    if scenario.side > 10 and facts.threads < 3:
        side = scenario.side
    memory = Memory(parameters_of(kernel), Sizes(side), filler.scalar)
    filler.fill(memory)
    arguments = memory.arguments()
    start = Snapshot(memory)
    dim = launch_size(facts) if threads is None else (threads,) * max(facts.threads, 1)
    options: dict[str, Any] = {"device": "cpu"}
    tape = wp.Tape()
    if facts.tiled:
        # The innermost index of a tiled launch is the thread inside the block.
        blocks = dim[: max(facts.threads - 1, 1)] if facts.threads > 1 else dim[:1]
        with tape:
            wp.launch_tiled(kernel, dim=list(blocks), inputs=arguments, block_dim=32, **options)
        start.restore()
        command = wp.launch_tiled(kernel, dim=list(blocks), inputs=arguments, block_dim=32, record_cmd=True, **options)
    else:
        with tape:
            wp.launch(kernel, dim=dim, inputs=arguments, **options)
        start.restore()
        command = wp.launch(kernel, dim=dim, inputs=arguments, record_cmd=True, **options)
    return Launch(kernel, memory, start, command, tape, [filler, arguments])


def launch_size(facts: Facts) -> tuple[int, ...]:
    if facts.threads == 0:
        return (1,)
    if facts.tiled:
        return (1,) * facts.threads
    return {1: (8,), 2: (8, 8), 3: (6, 6, 6)}.get(facts.threads, (4,) * facts.threads)


class Test:
    """The comparison for one scenario."""

    def __init__(self, launch: Launch, facts: Facts, double: bool, seed: int, stage: Stage) -> None:
        self.stage = stage
        self.launch = launch
        self.facts = facts
        self.memory = launch.memory
        self.double = double
        self.random = np.random.default_rng((seed, 5))
        self.base = [leaf.values.astype(np.float64) for leaf in self.memory.floats]
        self.steps = numerics.STEPS_64 if double else numerics.STEPS_32
        self.epsilon = numerics.EPSILON_64 if double else numerics.EPSILON_32
        self.tolerance = TOLERANCE_64 if double else TOLERANCE_32
        self.worst_direction: list[Array] | None = None
        self.sloped = False  # some number with a wrong derivative has one that isn't zero
        self.written: list[int] = []  # leaves that the forward changed
        self.after = launch.start
        self.overwritten: list[int] = []  # arrays that the forward changed

    def run(self, explain: bool = True) -> Sample:
        launch, memory = self.launch, self.memory
        launch.start.restore()
        launch.forward()
        self.after = Snapshot(memory)
        self.overwritten = launch.start.differences()
        if memory.strayed():
            return Sample("invalid", "the kernel writes outside its arrays")
        launch.start.restore()
        launch.forward()
        if self.after.differences():
            return Sample("invalid", "two runs with the same inputs differ")
        changed = [
            i for i, leaf in enumerate(memory.floats) if not np.array_equal(leaf.values, self.base[i], equal_nan=True)
        ]
        if not changed:
            return Sample("invalid", NOTHING)
        self.written = changed
        cotangent = self._cotangent()
        if not any(np.any(w) for w in cotangent):
            return Sample("invalid", "nothing finite was written")
        weight = np.concatenate([cotangent[i].ravel() for i in changed])
        self.stage(True)
        gradient = self._adjoint(launch, cotangent, None)
        self.stage(False)
        if not np.all(np.isfinite(gradient)) and any(not np.all(np.isfinite(memory.floats[i].values)) for i in changed):
            return Sample("invalid", "the forward isn't finite")
        sample = self._compare(gradient, weight)
        if sample.outcome == "mismatch" and explain:
            self._explain(sample, gradient, cotangent, weight)
        return sample

    def _cotangent(self) -> list[Array]:
        """Random weights on everything finite in the leaves that the forward changed."""
        weights = []
        for i, leaf in enumerate(self.memory.floats):
            w = np.zeros(leaf.values.shape)
            if i in self.written:
                w = self.random.choice([-1.0, 1.0], w.shape) * self.random.uniform(0.5, 1.5, w.shape)
                values = leaf.values
                with np.errstate(all="ignore"):
                    w = np.where(np.isfinite(values) & (np.abs(values) < 1e100), w, 0.0)
                if not self.double:
                    w = w.astype(np.float32).astype(np.float64)
            weights.append(w)
        return weights

    def _adjoint(self, launch: Launch, cotangent: list[Array], restore: set[int] | None) -> Array:
        """The gradient with memory as the launch left it, after putting some arrays back."""
        self.after.restore()
        if restore:
            launch.start.restore_groups(restore)
        return launch.backward(cotangent)

    # Finite differences

    def _outputs(self, step: float, direction: list[Array]) -> Array:
        self.launch.start.restore()
        if step != 0.0:
            for leaf, base, change in zip(self.memory.floats, self.base, direction, strict=True):
                leaf.values[...] = base + step * change
        self.launch.forward()
        return np.concatenate([_flat(self.memory.floats[i].values) for i in self.written])

    def difference(self, direction: list[Array], weight: Array) -> numerics.Difference:
        with np.errstate(all="ignore"):
            return numerics.directional(lambda step: self._outputs(step, direction), weight, self.steps, self.epsilon)

    def _directions(self) -> list[list[Array]]:
        """Random directions: everything at once, then each leaf by itself."""
        zero = [np.zeros_like(base) for base in self.base]
        scaled = []
        for i, base in enumerate(self.base):
            size = np.maximum(np.abs(base), 0.1)
            if self.facts.extremes and i in self.written:
                # The adjoint of `atomic_max` keeps the old value's gradient, which nobody uses.
                size = np.zeros_like(base)
            scaled.append(self.random.normal(size=base.shape) * size)
        singles = []
        for i in [i for i in range(len(self.base)) if np.any(scaled[i])][:MAX_LEAVES]:
            single = list(zero)
            single[i] = scaled[i]
            singles.append(single)
        return [scaled, *singles] if len(singles) > 1 else [scaled]

    def _compare(self, gradient: Array, weight: Array) -> Sample:
        outcomes: list[bool | None] = []
        kinked, moved = False, False
        worst: tuple[float, float, float] | None = None
        why = ""
        self.worst_direction = None
        for direction in self._directions():
            along = np.concatenate([d.ravel() for d in direction])
            difference = self.difference(direction, weight)
            with np.errstate(all="ignore"):
                terms = np.where(along != 0.0, gradient * along, 0.0)
                ad = float(np.sum(terms))
                scale = float(np.sum(np.abs(terms))) if math.isfinite(ad) else 0.0
            outcome = numerics.disagree(ad, difference, scale, self.tolerance)
            outcomes.append(outcome)
            if difference.smooth and abs(difference.value) > 1e-9:
                moved = True
            if outcome is None:
                kinked = True
                why = "the derivative isn't defined or can't be resolved here"
            elif outcome:
                error = numerics.relative_error(ad, difference.value)
                if worst is None or error > worst[0]:
                    worst = (error, ad, difference.value)
                    self.worst_direction = direction
        if worst is not None:
            return Sample("mismatch", kinked=kinked, ad=worst[1], fd=worst[2], where="random direction", moved=moved)
        if all(outcome is False for outcome in outcomes):
            return Sample("agree", moved=moved)
        return Sample("unsure", why, kinked=True, moved=moved)

    # What is behind a mismatch

    def _explain(self, sample: Sample, gradient: Array, cotangent: list[Array], weight: Array) -> None:
        changed = self.overwritten
        direction = self.worst_direction
        best = None
        different = False
        for groups in _subsets(changed):
            restored = self._adjoint(self.launch, cotangent, groups)
            if not np.allclose(restored, gradient, rtol=1e-6, atol=1e-12, equal_nan=True):
                different = True
                if self._compare(restored, weight).outcome == "agree":
                    best = restored
                    break
        sample.restored = "agree" if best is not None else "changes" if different else "same"
        self._locate(sample, gradient, best, weight)
        sample.flat = not self.sloped
        if sample.where == "random direction" and direction is not None:
            self._bisect(sample, gradient, direction, weight)
        if sample.where == "random direction":
            # Many small wrong steps along many numbers make a doubtful direction, not a proof.
            sample.outcome, sample.why = "unsure", "the derivative can't be resolved here"

    def _locate(self, sample: Sample, gradient: Array, right: Array | None, weight: Array) -> None:
        """The single number whose derivative is worst, among likely ones."""
        worst = 0.0
        for number, candidate in enumerate(self._candidates(gradient, right)):
            if worst > 0.0 and number >= FEW_PROBES:
                break
            worst = max(worst, self._probe(sample, gradient, weight, candidate, worst))

    def _probe(
        self, sample: Sample, gradient: Array, weight: Array, candidate: tuple[int, int, int, int], worst: float
    ) -> float:
        """Differentiate by one number; note it if it is worse than what is known. The size of the gap."""
        leaf, element, component, position = candidate
        if self.facts.extremes and leaf in self.written:
            return 0.0
        direction = [np.zeros_like(base) for base in self.base]
        size = max(abs(float(self.base[leaf][element, component])), 0.1)
        direction[leaf][element, component] = size
        difference = self.difference(direction, weight)
        ad = float(gradient[position])
        if numerics.disagree(ad * size, difference, 0.0, self.tolerance) is not True:
            return 0.0
        fd = difference.value / size
        gap = abs(ad - fd) if math.isfinite(ad) else math.inf
        self.sloped |= abs(fd) > 1e-9 * max(1.0, abs(ad) if math.isfinite(ad) else 1.0)
        if gap > worst:
            sample.ad, sample.fd = ad, fd
            sample.where = self.memory.floats[leaf].where(element, component)
        return gap

    def _bisect(self, sample: Sample, gradient: Array, direction: list[Array], weight: Array) -> None:
        """Narrow a direction that disagrees down to one number, as long as a half disagrees too."""
        starts = np.cumsum([0, *(base.size for base in self.base)])
        along = np.concatenate([d.ravel() for d in direction])
        live = np.flatnonzero(along)
        while len(live) > 1:
            middle = len(live) // 2
            for half in (live[:middle], live[middle:]):
                part = np.zeros_like(along)
                part[half] = along[half]
                if self._disagrees(part, starts, gradient, weight):
                    live = half
                    break
            else:
                return
        position = int(live[0])
        i = int(np.searchsorted(starts, position, side="right")) - 1
        element, component = divmod(position - int(starts[i]), self.memory.floats[i].values.shape[1])
        self._probe(sample, gradient, weight, (i, element, component, position), 0.0)

    def _disagrees(self, along: Array, starts: Array, gradient: Array, weight: Array) -> bool:
        direction = [
            along[int(a) : int(b)].reshape(base.shape)
            for a, b, base in zip(starts[:-1], starts[1:], self.base, strict=True)
        ]
        difference = self.difference(direction, weight)
        with np.errstate(all="ignore"):
            terms = np.where(along != 0.0, gradient * along, 0.0)
            ad = float(np.sum(terms))
        scale = float(np.sum(np.abs(terms))) if math.isfinite(ad) else 0.0
        return numerics.disagree(ad, difference, scale, self.tolerance) is True

    def _candidates(self, gradient: Array, right: Array | None) -> list[tuple[int, int, int, int]]:
        size = np.where(np.isfinite(gradient), np.abs(gradient), np.inf)
        if right is not None:
            with np.errstate(all="ignore"):
                size = np.where(np.isfinite(gradient), np.abs(gradient - right), np.inf)
        order = [int(k) for k in np.argsort(-size, kind="stable")[: MAX_PROBES // 2] if size[int(k)] > 0.0]
        starts = np.cumsum([0, *(base.size for base in self.base)])
        inside: list[int] = []
        for i, leaf in enumerate(self.memory.floats):
            columns = leaf.values.shape[1]
            count = min(leaf.count, 3) * columns
            inside += [int(starts[i]) + leaf.first * columns + k for k in range(min(count, 9))]
        found = []
        for position in dict.fromkeys([*order, *inside[: 2 * MAX_PROBES]]):
            i = int(np.searchsorted(starts, position, side="right")) - 1
            columns = self.memory.floats[i].values.shape[1]
            element, component = divmod(position - int(starts[i]), columns)
            found.append((i, element, component, position))
        return found


def _subsets(groups: list[int]) -> list[set[int]]:
    """Which arrays to put back: all of them first, then every combination of a few."""
    if not groups:
        return []
    if len(groups) > 3:
        return [set(groups), *({g} for g in groups)]
    combinations = [set(c) for n in range(len(groups), 0, -1) for c in itertools.combinations(groups, n)]
    return combinations


def test_scenario(
    kernel: Any, facts: Facts, scenario: Scenario, double: bool, seed: int, index: int, stage: Stage
) -> Sample:
    """Compare once; a mismatch is looked at again with a single thread."""
    launch = prepare(kernel, facts, scenario, seed, index)
    if not launch.memory.floats:
        return Sample("invalid", "no argument is an array of floating point numbers")
    sample = Test(launch, facts, double, seed, stage).run()
    if sample.outcome == "mismatch":
        sample.identity = _is_identity(launch)
        conflict = not facts.tiled and _conflict(launch, facts)
        sample.alone = "mismatch"
    launch.memory.release()
    if sample.outcome == "mismatch" and conflict:
        sample.alone = _alone(kernel, facts, scenario, double, seed, index, stage)
    return sample


def _conflict(launch: Launch, facts: Facts) -> bool:
    """Whether several threads change one element: a race, or an accumulation."""
    memory, full = launch.memory, launch_size(facts)
    arguments = launch.keep[1]
    for axis in range(len(full)):
        launch.start.restore()
        before = [saved.copy() for saved in launch.start.saved]
        touched = [np.zeros(len(saved), dtype=bool) for saved in before]
        for count in range(1, full[axis] + 1):
            launch.start.restore()
            dim = (*full[:axis], count, *full[axis + 1 :])
            wp.launch(launch.kernel, dim=dim, inputs=arguments, device="cpu", record_tape=False)
            for k, span in enumerate(launch.start.spans):
                now = memory.values[span].copy()
                changed = now != before[k]
                if bool(np.any(changed & touched[k])):
                    return True
                touched[k] |= changed
                before[k] = now
    return False


def _alone(kernel: Any, facts: Facts, scenario: Scenario, double: bool, seed: int, index: int, stage: Stage) -> str:
    """The outcome of one thread by itself, on as many inputs as it takes to see what many threads saw."""
    outcome = "unsure"
    for draw in range(DRAWS):
        alone = prepare(kernel, facts, scenario, seed + 1000 * draw, index, threads=1)
        found = Test(alone, facts, double, seed + draw, stage).run(explain=False).outcome
        alone.memory.release()
        if found == "mismatch":
            return found
        if found == "agree":
            outcome = found
    return outcome


def _is_identity(launch: Launch) -> bool:
    """Whether a wrapped func returns one of its arguments unchanged."""
    leaves: dict[str, Leaf] = {leaf.label: leaf for leaf in launch.memory.floats}
    out = leaves.get("p_out")
    if out is None:
        return False
    launch.start.restore()
    launch.forward()
    for leaf in leaves.values():
        columns = leaf.values.shape[1]
        if leaf is out or columns > 16:
            continue
        given = leaf.values[leaf.first : leaf.first + 8]
        got = np.stack([out.values[out.first + 32 * i : out.first + 32 * i + columns, 0] for i in range(8)])
        if np.allclose(given, got, rtol=1e-6, atol=0.0):
            return True
    return False


def test_singular(kernel: Any, facts: Facts, scenario: Scenario, seed: int, index: int, stage: Stage) -> Sample:
    """Whether a finite forward has an adjoint that isn't finite."""
    launch = prepare(kernel, facts, scenario, seed, index)
    memory = launch.memory
    launch.start.restore()
    before = [leaf.values.copy() for leaf in memory.floats]
    launch.forward()
    cotangent = []
    finite, changed = True, False
    random = np.random.default_rng((seed, index, 9))
    for leaf, old in zip(memory.floats, before, strict=True):
        weight = np.zeros(leaf.values.shape)
        if not np.array_equal(leaf.values, old, equal_nan=True):
            changed = True
            finite &= bool(np.all(np.isfinite(leaf.values)))
            weight = np.where(leaf.values != old, random.uniform(0.5, 1.5, weight.shape), 0.0)
        cotangent.append(weight)
    if not changed:
        # A store of what was there already still has an adjoint.
        cotangent = [np.ones(leaf.values.shape) for leaf in memory.floats]
    if not finite:
        memory.release()
        return Sample("invalid", "the forward isn't finite")
    stage(True)
    gradient = launch.backward(cotangent)
    stage(False)
    memory.release()
    if np.all(np.isfinite(gradient)):
        return Sample("agree" if changed else "invalid", "" if changed else "nothing was written")
    starts = np.cumsum([0, *(leaf.values.size for leaf in memory.floats)])
    for position in np.flatnonzero(~np.isfinite(gradient)):
        i = int(np.searchsorted(starts, position, side="right")) - 1
        leaf = memory.floats[i]
        element, component = divmod(int(position) - int(starts[i]), leaf.values.shape[1])
        where = leaf.where(element, component)
        value = float(before[i][element, component])
        return Sample("mismatch", ad=float(gradient[position]), where=f"{where} = {value:g}")
    return Sample("agree")
