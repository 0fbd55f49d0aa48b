"""ADJ201: a `func_grad` assigns `wp.adjoint[x]` instead of adding to it."""

from __future__ import annotations

from collections.abc import Iterator

from warp_lint.findings import Note, Severity
from warp_lint.kernels.gradients import CustomGradient, GradientWrite
from warp_lint.kernels.graph import Frame, Value
from warp_lint.kernels.inspection import Inspection, Report
from warp_lint.rules._custom import custom_calls

CODE = "ADJ201"


def check(inspection: Inspection) -> Iterator[Report]:
    for value, frame, gradient in custom_calls(inspection):
        if not inspection.live(value):
            continue
        for write in gradient.writes:
            if write.assigned and write.name in frame.arguments:
                yield _report(inspection, value, frame, gradient, write)


def _report(
    inspection: Inspection, value: Value, frame: Frame, gradient: CustomGradient, write: GradientWrite
) -> Report:
    actual = frame.arguments[write.name]
    other = _other_consumer(inspection, value, frame, actual)
    notes = [Note(value.location, f"`{frame.function.name}` is called here")]
    if other is not None:
        message = f"`wp.adjoint[{write.name}] =` throws away what other uses of the argument have added"
        notes.append(Note(other.location, "the argument is used here as well"))
    else:
        message = f"`wp.adjoint[{write.name}] =` replaces the adjoint instead of adding to it"
    return Report(
        CODE,
        gradient.definition.module.location(write.node),
        message,
        "write `+=`",
        tuple(notes),
        inspection.active(actual),
        None if other is not None else Severity.INFO,
    )


def _other_consumer(inspection: Inspection, value: Value, frame: Frame, actual: Value) -> Value | None:
    """A use of the argument whose adjoint runs before the call's: one that comes later, or the next pass."""
    if not inspection.active(actual):
        return None
    if any(loop not in actual.loops for loop in value.loops):
        return value
    if list(frame.arguments.values()).count(actual) > 1:
        return value
    for user in inspection.graph.values[value.id + 1 :]:
        if user.frame.within(frame) or actual not in user.args:
            continue
        if user.op == "arg" and any(f.custom is not None for f in (user.frame,)):
            continue  # the call's own value stands for it
        if inspection.live(user) or (user.op == "store" and inspection.adjoint.useful(user)):
            return user
    if actual.op == "array" and _reads_elsewhere(inspection, frame, actual):
        return value
    return None


def _reads_elsewhere(inspection: Inspection, frame: Frame, array: Value) -> bool:
    return any(
        event.path == array.path and not event.frame.within(frame) and inspection.live(event.value)
        for event in inspection.reads()
    )
