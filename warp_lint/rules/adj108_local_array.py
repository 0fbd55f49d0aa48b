"""ADJ108: an array created inside a kernel has no gradient."""

from __future__ import annotations

from collections.abc import Iterator

from warp_lint.findings import Note
from warp_lint.kernels.effects import Path
from warp_lint.kernels.graph import Event
from warp_lint.kernels.inspection import Inspection, Report, call_notes

CODE = "ADJ108"


def check(inspection: Inspection) -> Iterator[Report]:
    reported: set[Path] = set()
    for store in inspection.writes():
        if not store.local or store.path in reported:
            continue
        act = inspection.active(store.value.args[0])
        reads = inspection.memory.reads_of(store.path)
        if not act or not any(inspection.adjoint.useful(read.value) for read in reads):
            continue
        reported.add(store.path)
        message = "an array created in a kernel carries no gradient, and values of the gradient path go through it"
        yield _report(store, message, act)
    for group in inspection.groups:
        event = group.cause.event
        if group.cause.kind != "local" or event is None or event.path in reported:
            continue
        reported.add(event.path)
        message = "the reverse pass finds an array created in a kernel empty, and an adjoint needs its values"
        yield _report(inspection.memory.writes_to(event.path)[0], message, group.partners)


def _report(store: Event, message: str, paths: int) -> Report:
    return Report(
        CODE,
        store.array.location,
        message,
        "use a vector or matrix, or pass an array with `requires_grad=True`",
        (Note(store.location, "values are stored here"), *call_notes(store.frame)),
        paths,
    )
