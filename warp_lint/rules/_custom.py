"""Calls of funcs with a hand-written adjoint."""

from __future__ import annotations

from collections.abc import Iterator

from warp_lint.kernels.gradients import CustomGradient
from warp_lint.kernels.graph import Frame, Value
from warp_lint.kernels.inspection import Inspection


def custom_calls(inspection: Inspection) -> Iterator[tuple[Value, Frame, CustomGradient]]:
    """(result, activation, gradient) of every call."""
    for value in inspection.graph.values:
        if value.op == "custom":
            frame, gradient, _ = value.extra
            yield value, frame, gradient
