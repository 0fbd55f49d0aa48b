"""Runs the kernel rules over a kernel or func."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

from warp_lint.kernels.analysis import graph_of
from warp_lint.kernels.effects import Path
from warp_lint.kernels.inspection import Inspection, Report
from warp_lint.settings import Settings
from warp_lint.syntax.module import Definition
from warp_lint.syntax.project import Project

Rule = Callable[[Inspection], Iterable[Report]]


def rules() -> tuple[Rule, ...]:
    from warp_lint.rules import kernel_rules

    return kernel_rules.RULES


def reports(inspection: Inspection) -> list[Report]:
    """Everything the rules say about one inspection, one report per code and place."""
    found: dict[tuple[str, object], Report] = {}
    for rule in rules():
        for report in rule(inspection):
            found.setdefault((report.code, report.location), report)
    return list(found.values())


def defective_paths(
    project: Project, definition: Definition, settings: Settings, scalars: Mapping[Path, object] | None = None
) -> frozenset[Path]:
    """Array parameters whose gradient is wrong through this kernel by itself."""
    graph, options = graph_of(project, definition, settings, scalars)
    inspection = Inspection(project, graph, options, settings)
    mask = 0
    for report in reports(inspection):
        if report.code < "ADJ500":
            mask |= report.paths
    return inspection.adjoint.paths(mask)
