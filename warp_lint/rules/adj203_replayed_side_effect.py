"""ADJ203: counters and writes inside funcs that the replay executes again (or not at all)."""

from __future__ import annotations

from collections.abc import Iterator

from warp_lint.findings import Note
from warp_lint.kernels.inspection import CauseGroup, Inspection, Report, call_notes, code_text

CODE = "ADJ203"


def check(inspection: Inspection) -> Iterator[Report]:
    for group in inspection.groups:
        event = group.cause.event
        if event is None:
            continue
        name = ".".join(event.path)
        if group.cause.kind == "counter":
            inside = event.frame.parent is not None
            again = "runs" if inside else "doesn't run"
            more = " again" if inside else ""
            yield Report(
                CODE,
                event.location,
                f"the replay {again} `wp.{event.atomic}` on `{name}`{more}: the adjoint sees another result",
                "store the index to an array in one kernel and use it in the next, or write a `func_replay`",
                (*_uses(group), *call_notes(event.frame)),
                group.partners,
                unsure=group.unsure,
            )
        elif group.cause.kind == "replayed":
            yield Report(
                CODE,
                event.location,
                f"the replay writes to `{name}` again, and an adjoint needs its value",
                "add in the kernel itself, or read the value in a later kernel",
                (*_uses(group), *call_notes(event.frame)),
                group.partners,
                unsure=group.unsure,
            )


def _uses(group: CauseGroup) -> tuple[Note, ...]:
    event = group.cause.event
    assert event is not None
    notes: dict[int, Note] = {}
    for defect in group.defects:
        where = defect.need.user.location
        if where.line != event.location.line:
            text = code_text(defect.need.user)
            notes.setdefault(where.line, Note(where, f"the adjoint of `{text}` needs it"))
    return tuple(notes.values())[:3]
