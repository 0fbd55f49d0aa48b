"""ADJ205: `wp.grad()` in a differentiated kernel: no gradient goes through it."""

from __future__ import annotations

from collections.abc import Iterator

from warp_lint.kernels.inspection import Inspection, Report, call_notes

CODE = "ADJ205"


def check(inspection: Inspection) -> Iterator[Report]:
    for value in inspection.graph.values:
        if value.op != "severed" or value.name != "grad" or not inspection.adjoint.useful(value):
            continue
        paths = 0
        for argument in value.args:
            paths |= inspection.active(argument)
        if paths:
            yield Report(
                CODE,
                value.location,
                "no gradient goes through `wp.grad()`: its result is a constant to the reverse pass",
                "write the derivative as a func and call that",
                call_notes(value.frame),
                paths,
            )
