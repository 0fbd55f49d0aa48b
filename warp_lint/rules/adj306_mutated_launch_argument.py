"""ADJ306: a struct or handle given to a recorded launch changes before `backward()`."""

from __future__ import annotations

from collections.abc import Iterator

from warp_lint.findings import Finding, Note
from warp_lint.kernels.effects import Effects, Path
from warp_lint.rules.tape_report import at_event, loop_note, operation_name, report
from warp_lint.trace.analysis import Analysis
from warp_lint.trace.flow import Tier
from warp_lint.trace.model import Launch, Mutate
from warp_lint.trace.sweep import Result


def check(analysis: Analysis) -> Iterator[Finding]:
    if not analysis.mutations:
        return
    for result in analysis.results:
        window = result.window
        by_owner: dict[int, list[tuple[int, Mutate]]] = {}
        for index, event in analysis.mutations:
            if window.start < index < window.index:
                by_owner.setdefault(event.owner, []).append((index, event))
        if not by_owner:
            continue
        for operation in window.operations:
            launch = analysis.events[operation]
            useful = result.useful.get(operation)
            if not isinstance(launch, Launch) or launch.effects is None or not useful:
                continue
            for path, owner in launch.structs.items():
                for index, mutation in by_owner.get(owner, ()):
                    if index > operation:
                        tier = _matters(analysis, result, operation, launch.effects, path, mutation)
                        if tier is not Tier.NONE and not analysis.exclusive(index, operation):
                            yield _finding(analysis, result, operation, index, mutation, tier)
                            break


def _matters(
    analysis: Analysis, result: Result, operation: int, effects: Effects, path: Path, mutation: Mutate
) -> Tier:
    """How surely an adjoint of the launch reads what changed."""
    readings = analysis.flow.readings.get(operation, {})
    useful = result.useful[operation]

    def tier(paths: frozenset[Path]) -> Tier:
        return max((readings[p].actual for p in paths if p in readings), default=Tier.NONE)

    member = (*path, *mutation.member)
    everything = tier(frozenset(readings))
    if mutation.kind == "rebuild":
        return everything
    best = Tier.NONE
    if mutation.kind == "scalar":
        for need in effects.scalar_needs:
            if need.path[: len(member)] == member and (not need.outputs or need.outputs & useful):
                best = max(best, tier(need.partners))
        return best
    if any(touch.path[: len(member)] == member for touch in effects.touches):
        return everything
    return Tier.NONE


def _finding(analysis: Analysis, result: Result, operation: int, index: int, mutation: Mutate, tier: Tier) -> Finding:
    name = mutation.name or ".".join(mutation.member) or "argument"
    how = {"scalar": "changed", "rebind": "rebound", "rebuild": "rebuilt"}.get(mutation.kind, "changed")
    user = operation_name(analysis, operation)
    return report(
        analysis,
        "ADJ306",
        analysis.severity(tier, True, operation, index, result.window.index),
        at_event(analysis, index),
        f"`{name}` is {how} here, but the adjoint of {user} reads it as it is at `backward()`",
        "use one struct or handle per launch, or change it after `backward()`",
        [Note(analysis.where(operation), "launched with it here"), *loop_note(analysis, operation, index)],
        index,
        operation,
    )
