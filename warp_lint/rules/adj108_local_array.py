"""ADJ108: an array created inside a kernel has no gradient."""

from __future__ import annotations

from collections.abc import Iterator

from warp_lint.findings import Note
from warp_lint.kernels.effects import Access, Path
from warp_lint.kernels.inspection import Inspection, Report, call_notes

CODE = "ADJ108"


def check(inspection: Inspection) -> Iterator[Report]:
    reported: set[Path] = set()
    for store in inspection.writes():
        if not store.local or store.path in reported:
            continue
        act = inspection.adjoint.act[store.value.args[0].id]
        if not act:
            continue
        reads = inspection.memory.reads_of(store.path)
        if not any(inspection.adjoint.useful(read.value) for read in reads if read.access is Access.READ):
            continue
        reported.add(store.path)
        yield Report(
            CODE,
            store.array.location,
            "an array created in a kernel carries no gradient, and values of the gradient path go through it",
            "use a vector or matrix, or pass an array with `requires_grad=True`",
            (Note(store.location, "a differentiable value is stored here"), *call_notes(store.frame)),
            act,
        )
