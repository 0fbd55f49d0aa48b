"""ADJ204: a `func_native` without `adj_snippet` on a gradient path."""

from __future__ import annotations

from collections.abc import Iterator

from warp_lint.findings import Note
from warp_lint.kernels.detect import decorator_of
from warp_lint.kernels.graph import Value
from warp_lint.kernels.inspection import Inspection, Report
from warp_lint.syntax.module import Definition

CODE = "ADJ204"


def check(inspection: Inspection) -> Iterator[Report]:
    for value in inspection.graph.values:
        if value.op != "severed" or value.name != "native" or not isinstance(value.extra, Definition):
            continue
        paths = _lost(inspection, value)
        if not paths:
            continue
        function = value.extra
        decorator = decorator_of(inspection.project, function)
        where = function.module.location(decorator) if decorator is not None else function.location
        yield Report(
            CODE,
            where,
            f"`{function.name}` has no `adj_snippet`: no gradient goes through it",
            "pass `adj_snippet=` with the adjoint, or write the func in Python",
            (Note(value.location, f"`{function.name}` is called here"),),
            paths,
        )


def _lost(inspection: Inspection, value: Value) -> int:
    paths = 0
    if inspection.adjoint.useful(value):
        for argument in value.args:
            paths |= inspection.active(argument)
    # Arrays that native code writes: the snippet says which.
    arrays = [a for a in value.args if a.op == "array" and a.path and a.type.floating]
    if value.type.kind == "none" and len(arrays) > 1:
        for array in arrays:
            if inspection.adjoint.is_active(array.path):
                paths |= inspection.adjoint.bit(array.path)
    return paths
