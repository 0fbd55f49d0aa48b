"""ADJ501: `wp.where` around an operation that is singular where its branch isn't taken: both adjoints run."""

from __future__ import annotations

from collections.abc import Iterator

from warp_lint.findings import Note
from warp_lint.kernels.graph import Value
from warp_lint.kernels.inspection import Inspection, Report, call_notes, code_text
from warp_lint.kernels.numbers import Hazard, atoms, differentiable_below, hazards, protected, selections

CODE = "ADJ501"


def selected(inspection: Inspection) -> dict[int, tuple[Value, Hazard]]:
    """Hazards that a `where` tries to keep out: by id of the hazardous operation, with the `where`."""
    dangerous = {hazard.value.id: hazard for hazard in hazards(inspection)}
    found: dict[int, tuple[Value, Hazard]] = {}
    if not dangerous:
        return found
    for where, condition, branch in selections(inspection):
        if not inspection.live(where):
            continue
        decides = atoms(condition)
        for value in differentiable_below(branch):
            hazard = dangerous.get(value.id)
            if hazard is None or protected(hazard.operand, value.guards):
                continue
            if decides & atoms(hazard.operand):
                found.setdefault(value.id, (where, hazard))
    return found


def check(inspection: Inspection) -> Iterator[Report]:
    for where, hazard in selected(inspection).values():
        text = code_text(hazard.value)
        notes: tuple[Note, ...] = ()
        if hazard.value.location.line != where.location.line:
            notes = (Note(hazard.value.location, f"`{text}` is computed here whatever the condition is"),)
        yield Report(
            CODE,
            where.location,
            f"`wp.{where.name}` runs both adjoints: `{text}` gives NaN where it isn't selected",
            "use `if` or `a if c else b`, or make the operand safe before the operation",
            (*notes, *call_notes(where.frame)),
            inspection.active(hazard.value),
        )
