"""ADJ108: an array created inside a kernel has no gradient."""

from __future__ import annotations

from collections.abc import Iterator

from warp_lint.findings import Note
from warp_lint.kernels.effects import Access, Path
from warp_lint.kernels.graph import Event
from warp_lint.kernels.inspection import Inspection, Report, call_notes

CODE = "ADJ108"


def check(inspection: Inspection) -> Iterator[Report]:
    reported: set[Path] = set()
    for group in inspection.groups:
        event = group.cause.event
        if group.cause.kind != "local" or event is None or event.path in reported:
            continue
        reported.add(event.path)
        message = "the reverse pass finds an array created in a kernel empty, and an adjoint needs its values"
        yield _report(inspection.memory.writes_to(event.path)[0], message, group.partners)
    for store in inspection.writes():
        if not store.local or store.path in reported or store.access is not Access.STORE:
            continue
        leaked = _leaked(inspection, store)
        if leaked:
            reported.add(store.path)
            message = "an array created in a kernel keeps the adjoint of an element that is stored again"
            yield _report(store, message, leaked)


def _leaked(inspection: Inspection, store: Event) -> int:
    """Inputs of an earlier value of the element, whose adjoint the store doesn't clear."""
    if not inspection.adjoint.useful(store.value):
        return 0
    paths = 0
    for other in inspection.memory.writes_to(store.path):
        if other is not store and inspection.touches_after(other, store):
            paths |= inspection.active(other.value.args[0])
    return paths


def _report(store: Event, message: str, paths: int) -> Report:
    return Report(
        CODE,
        store.array.location,
        message,
        "use a vector or matrix, or pass an array with `requires_grad=True`",
        (Note(store.location, "values are stored here"), *call_notes(store.frame)),
        paths,
    )
