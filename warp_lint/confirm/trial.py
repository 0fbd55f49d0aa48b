"""All the samples taken of one kernel."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from warp_lint.confirm.gradient import Sample, Stage, test_scenario, test_singular
from warp_lint.confirm.memory import UnsupportedError, is_array, is_struct, kind_of, parameters_of, scalar_type
from warp_lint.confirm.scenarios import REGULAR, Facts, Scenario, singular

MISMATCHES = 2
AGREEMENTS = 5
PASSES = 4
AGAIN = 16  # draws to see a mismatch a second time
EXTRA = 2.0  # seconds for them


def run_target(
    target: dict[str, Any], kernels: dict[str, Any], seed: int, budget: float, stage: Stage
) -> dict[str, Any]:
    """Samples as plain data. `kernels` maps a precision to the kernel compiled in it; `budget` is
    the time in seconds after which no new sample is begun. `stage(adjoint)` is called before the
    forward or the adjoint runs on new inputs."""
    facts = _facts(target)
    result: dict[str, Any] = {}
    started = time.monotonic()
    if target["regular"]:
        kernel, double = _proper(target, kernels)
        result["precision"] = "double" if double else "single"
        result["samples"] = [s.as_json() for s in _regular(kernel, facts, double, seed, started + budget, stage)]
    if target["singular"]:
        kernel = kernels.get("original") or kernels["double"]
        literals = [float(v) for v in target["literals"]]
        result["singular"] = [
            s.as_json() for s in _singular(kernel, facts, literals, seed, started + 2 * budget, stage)
        ]
    return result


def _facts(target: dict[str, Any]) -> Facts:
    facts = Facts(**target["facts"])
    facts.literals = [float(v) for v in target["literals"] if 1e-3 <= abs(v) <= 1e3]
    facts.kinds = list(target["kinds"])
    return facts


def _proper(target: dict[str, Any], kernels: dict[str, Any]) -> tuple[Any, bool]:
    """The kernel to test, and whether it computes in double precision."""
    precision = "double" if "double" in kernels else "original"
    kernel = kernels[precision]
    return kernel, precision == "double" or (_all_double(kernel) and not target["single"])


def reach_target(
    target: dict[str, Any],
    kernels: dict[str, Any],
    marked: Any,
    seed: int,
    budget: float,
    stage: Stage,
    tell: Callable[[set[int], Sample | None], None],
) -> None:
    """Tell the numbers of the marks that inputs reach, and samples of further inputs that reach one. `marked`
    is the kernel with marks in it."""
    from warp_lint.confirm.reach import reached

    kernel, double = _proper(target, kernels)
    reached(marked, kernel, _facts(target), double, seed, set(target["marks"]), budget, stage, tell)


def _regular(kernel: Any, facts: Facts, double: bool, seed: int, deadline: float, stage: Stage) -> list[Sample]:
    samples: list[Sample] = []
    suspect: tuple[Scenario, int] | None = None
    for number in range(PASSES * len(REGULAR)):
        repeat, index = divmod(number, len(REGULAR))
        scenario = REGULAR[index]
        if repeat:
            # More of the same only to make up for too few, or to find a second mismatch.
            if _agreeing(samples) >= AGREEMENTS and not 0 < _telling(samples) < MISMATCHES:
                break
            if facts.literals and repeat > 1:
                scenario = replace(scenario, floats="literals")
        if time.monotonic() > deadline:
            break
        try:
            sample = test_scenario(kernel, facts, scenario, double, seed + repeat, index, stage)
        except UnsupportedError as error:
            samples.append(Sample("invalid", str(error)))
            break
        samples.append(sample)
        if _telling([sample]):
            suspect = scenario, index
        if _telling(samples) >= MISMATCHES:
            break
    if suspect is not None:
        samples += _again(kernel, facts, *suspect, double, seed, deadline, stage, MISMATCHES - _telling(samples))
    return samples


def _again(
    kernel: Any,
    facts: Facts,
    scenario: Scenario,
    index: int,
    double: bool,
    seed: int,
    deadline: float,
    stage: Stage,
    missing: int,
) -> list[Sample]:
    """More draws of the scenario that showed a mismatch, until it shows others."""
    samples: list[Sample] = []
    for draw in range(AGAIN):
        if missing <= _telling(samples) or time.monotonic() > deadline + EXTRA:
            break
        samples.append(test_scenario(kernel, facts, scenario, double, seed + 100 + draw, index, stage))
    return samples


def _telling(samples: list[Sample]) -> int:
    """Mismatches that can count for a verdict."""
    return sum(1 for s in samples if s.outcome == "mismatch" and not s.flat and s.alone != "agree")


def _agreeing(samples: list[Sample]) -> int:
    return sum(1 for s in samples if "agree" in (s.outcome, s.alone))


def _count(samples: list[Sample], outcome: str) -> int:
    return sum(1 for s in samples if s.outcome == outcome)


def _singular(
    kernel: Any, facts: Facts, literals: list[float], seed: int, deadline: float, stage: Stage
) -> list[Sample]:
    samples: list[Sample] = []
    arrays = sum(_float_leaves(kind) for _, kind in parameters_of(kernel))
    for index, scenario in enumerate(singular(sorted(set(literals)), arrays)):
        if time.monotonic() > deadline:
            break
        try:
            sample = test_singular(kernel, facts, scenario, seed, index, stage)
        except UnsupportedError as error:
            samples.append(Sample("invalid", str(error)))
            break
        samples.append(sample)
        if _count(samples, "mismatch") >= MISMATCHES:
            break
    return samples


def _float_leaves(kind: Any) -> int:
    if is_struct(kind):
        return sum(_float_leaves(variable.type) for variable in kind.vars.values())
    if is_array(kind):
        dtype = kind.dtype
        return sum(1 for _ in dtype.vars) if is_struct(dtype) else 1
    return 0


def _all_double(kernel: Any) -> bool:
    """Whether every floating point array is in double precision as written."""

    def double(kind: Any) -> bool:
        if is_struct(kind):
            return all(double(variable.type) for variable in kind.vars.values())
        dtype = kind.dtype if is_array(kind) else kind
        if is_struct(dtype):
            return double(dtype)
        scalar = scalar_type(dtype)
        try:
            return kind_of(scalar) != "float" or scalar.__name__ == "float64"
        except UnsupportedError:
            return False

    return all(double(kind) for _, kind in parameters_of(kernel))
