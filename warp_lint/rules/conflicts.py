"""Writes that break a gradient, sorted by the rule that reports them.

An adjoint that reads an overwritten value and a gradient that runs past the write that should have
stopped it have one cause: the write. Which rule names it depends on what wrote, and when.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from warp_lint.findings import Location, Note, Severity
from warp_lint.rules.tape_report import loop_note, operation_name
from warp_lint.trace.access import Place, place_overlap
from warp_lint.trace.analysis import Analysis
from warp_lint.trace.flow import Tier
from warp_lint.trace.model import Array, Copy, Fill, GradientWrite, Launch, OptimizerStep, Overlap, TapeEvent
from warp_lint.trace.sweep import Leak, Result, Stale
from warp_lint.trace.windows import Window


@dataclass(slots=True)
class Conflict:
    """`cause`: event of the write. `needed_by`: event whose adjoint goes wrong. `stale` or `leak` is set."""

    code: str
    cause: int
    needed_by: int
    array: Array
    severity: Severity
    window: Window
    stale: Stale | None = None
    leak: Leak | None = None
    rebound: int | None = None


def conflicts(analysis: Analysis, code: str) -> Iterator[Conflict]:
    """Conflicts that a rule reports, worst first for each cause."""
    key_of = "presumed" if analysis.presuming else "seen"
    found: list[Conflict] | None = analysis.shared.get(key_of)
    if found is None:
        found = analysis.shared[key_of] = sorted(_all(analysis), key=lambda c: (c.cause, c.needed_by))
    best: dict[tuple[Location, Location | None], Conflict] = {}
    for conflict in found:
        if conflict.code != code:
            continue
        rebound = analysis.where(conflict.rebound) if conflict.rebound is not None else None
        key = (rebound or analysis.where(conflict.cause), rebound)
        if key not in best or conflict.severity > best[key].severity:
            best[key] = conflict
    yield from best.values()


def _all(analysis: Analysis) -> Iterator[Conflict]:
    for result in analysis.gradients.presumed if analysis.presuming else analysis.results:
        window = result.window
        if window.event.replayed:
            continue
        for stale in result.stale:
            cause = stale.change.index
            if _reentered(window, stale.operation, cause) or analysis.exclusive(stale.operation, cause, window.index):
                continue
            opaque = analysis.opaque_between(stale.operation, window.index, stale.change.array, window.tape)
            sure = stale.sure and not opaque and not (window.presumed and _untold(analysis, stale))
            severity = _severity(analysis, window, stale.tier, sure, [stale.operation, cause, window.index])
            code, rebound = _stale_code(analysis, result, stale)
            yield Conflict(
                code, cause, stale.operation, stale.change.array, severity, window, stale=stale, rebound=rebound
            )
        for leak in result.leaks:
            if leak.kind == "leftover":
                continue
            if _reentered(window, leak.receiver, leak.write) or analysis.exclusive(leak.write, leak.receiver):
                continue
            opaque = analysis.opaque_between(leak.receiver, window.index, leak.array, window.tape)
            indices = [leak.receiver, leak.write, window.index]
            severity = _severity(analysis, window, leak.tier, leak.sure and not opaque, indices)
            leak_code = _leak_code(analysis, window, leak)
            if leak_code is not None:
                yield Conflict(leak_code, leak.write, leak.receiver, leak.array, severity, window, leak=leak)


def _untold(analysis: Analysis, stale: Stale) -> bool:
    """A constant goes over values that nothing tells of: they may be that constant, as after the last clearing."""
    event = analysis.events[stale.change.index]
    constant = isinstance(event, Fill) and not event.source_arrays and event.value is not None
    return constant and analysis.timeline.untold(stale.change.array.region.root, stale.operation)


def _severity(analysis: Analysis, window: Window, tier: Tier, sure: bool, indices: list[int]) -> Severity:
    if window.presumed:
        return Severity.WARNING if tier >= Tier.LEAF and sure else Severity.INFO
    return analysis.severity(tier, sure, *indices)


def _reentered(window: Window, operation: int, write: int) -> bool:
    """A consequence of a tape that was entered again after its backward pass: ADJ403 says it."""
    return any(operation < backward < write and window.entered_after(backward) for backward in window.earlier)


def _stale_code(analysis: Analysis, result: Result, stale: Stale) -> tuple[str, int | None]:
    window, cause = result.window, stale.change.index
    rebound = _rebinding(analysis, stale.change.array, cause)
    if rebound is not None:
        return "ADJ305", rebound
    scope = analysis.scope_of(window, cause)
    if scope is None:
        return "ADJ304", None
    if _after_loss(analysis, window, cause):
        return "ADJ401", None
    return _by_writer(analysis, cause), None


def _by_writer(analysis: Analysis, cause: int) -> str:
    event = analysis.events[cause]
    if isinstance(event, Copy):
        return "ADJ302"
    if isinstance(event, Fill):
        return "ADJ303"
    if isinstance(event, OptimizerStep):
        return "ADJ401"
    return "ADJ301"


def _after_loss(analysis: Analysis, window: Window, cause: int) -> bool:
    """The write follows the last operation that the loss, or what has a seed, depends on directly."""
    seeded = {array.region.root: array for array in window.seeds()}
    if not seeded:
        for event in analysis.events[window.last : window.index]:
            if isinstance(event, GradientWrite) and event.kind != "zero":
                seeded[event.array.region.root] = event.array
    targets = [Place(array.region) for array in seeded.values()]
    for index in reversed(window.operations):
        event = analysis.events[index]
        binding = analysis.timeline.bindings.get(index)
        if isinstance(event, Launch) and binding is not None:
            places = [w.place for writes in binding.writes.values() for w in writes]
        elif isinstance(event, Copy):
            places = [Place(event.destination.region)]
        else:
            continue
        if any(place_overlap(place, target) is not Overlap.NONE for place in places for target in targets):
            return cause > index
    return False


def _rebinding(analysis: Analysis, array: Array, cause: int) -> int | None:
    found = None
    for index, event in analysis.rebinds:
        if index < cause and event.array.region.root == array.region.root:
            found = index
    return found


def _leak_code(analysis: Analysis, window: Window, leak: Leak) -> str | None:
    event = analysis.events[leak.write]
    if leak.kind in ("store", "copy"):
        target = event.destination if isinstance(event, Copy) else leak.array
        if target.retain_grad or leak.array.retain_grad:
            return "ADJ406"
        return "ADJ302" if leak.kind == "copy" else "ADJ308"
    if isinstance(event, Launch) and event.tape is not None:
        return None  # an unrecorded launch: ADJ405
    scope = analysis.scope_of(window, leak.write)
    if scope is None:
        return "ADJ304"
    return "ADJ302" if isinstance(event, Copy) else "ADJ303"


def conflict_message(analysis: Analysis, conflict: Conflict, how: str) -> tuple[str, list[Note]]:
    """Sentence and notes. `how`: what happens to the array at the cause, `overwritten`, `cleared`."""
    name = analysis.name(conflict.array, conflict.cause)
    user = operation_name(analysis, conflict.needed_by)
    place = analysis.where(conflict.needed_by)
    notes: list[Note] = []
    if conflict.stale is not None:
        need = conflict.stale.need
        message = f"`{name}` is {how} here, but {user} still needs its old value for the gradient"
        there = analysis.name(conflict.array, conflict.needed_by)
        notes.append(Note(place, f"`{there}` is read here" if there == name else f"read here as `{there}`"))
        if need.expression:
            notes.append(Note(need.location, f"the adjoint of `{need.expression}` reads it again"))
        else:
            notes.append(Note(need.location, "the adjoint of this reads it again"))
    else:
        leak = conflict.leak
        assert leak is not None
        reader = f" of {operation_name(analysis, leak.reader)}" if leak.reader is not None else ""
        message = f"`{name}` is {how} here, but the gradient{reader} still runs through to {user}"
        notes.append(Note(place, f"wrote the value that is {how}"))
        if leak.reader is not None:
            notes.append(Note(analysis.where(leak.reader), "reads the new value"))
    notes += loop_note(analysis, conflict.needed_by, conflict.cause)
    return message, notes


def enters_after(analysis: Analysis, window: Window, index: int) -> list[int]:
    """Enter events of the window's tape after an event."""
    return [enter for enter, _ in window.scopes if enter > index and isinstance(analysis.events[enter], TapeEvent)]
