"""Findings of the kernel rules, given what the host says of the launches."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from warp_lint.codes import RULES
from warp_lint.findings import Finding, Location, Severity, Subject, fingerprint
from warp_lint.kernels.activity import UNKNOWN, KernelActivity, LaunchContext
from warp_lint.kernels.analysis import graph_of
from warp_lint.kernels.detect import functions_of, kernel_kind, kernels_of, options_of
from warp_lint.kernels.effects import Path
from warp_lint.kernels.inspection import Inspection, Report
from warp_lint.kernels.problems import reports
from warp_lint.kernels.reach import forward_only
from warp_lint.settings import Settings
from warp_lint.syntax.module import Definition, Module
from warp_lint.syntax.project import Project


def check_kernel(
    project: Project, definition: Definition, settings: Settings, activity: KernelActivity = UNKNOWN
) -> list[Finding]:
    """Findings of one kernel or func, sorted. Those inside funcs it calls are located there."""
    if not settings.differentiates or activity.status == "inactive":
        return []
    if not options_of(project, definition).backward:
        return []
    merged: dict[tuple[str, Location], Finding] = {}
    if activity.status == "active" and activity.contexts:
        for context in activity.contexts:
            for report in _inspect(project, definition, settings, context):
                _add(merged, _finding(project, definition, report, lowered=context.assumed))
    else:
        for report in _inspect(project, definition, settings, None):
            lowered = activity.status != "active" and not settings.assume_active
            _add(merged, _finding(project, definition, report, lowered))
    return sorted(merged.values(), key=Finding.sort_key)


def _inspect(
    project: Project, definition: Definition, settings: Settings, context: LaunchContext | None
) -> list[Report]:
    scalars = dict(context.scalars) if context is not None else {}
    graph, options = graph_of(project, definition, settings, scalars)
    if context is None:
        return reports(Inspection(project, graph, options, settings))
    active, useful = context.active, context.useful

    def is_useful(path: Path) -> bool:
        return useful is None or path in useful

    def is_active(path: Path) -> bool:
        return path in active or path not in graph.arrays

    inspection = Inspection(
        project,
        graph,
        options,
        settings,
        is_active,
        is_useful,
        context.aliases,
        context.varied,
        dict(context.sizes),
        context.zeros,
    )
    return reports(inspection)


def _add(merged: dict[tuple[str, Location], Finding], finding: Finding) -> None:
    key = (finding.code, finding.location)
    known = merged.get(key)
    if known is None or known.severity < finding.severity:
        merged[key] = finding


def _finding(project: Project, definition: Definition, report: Report, lowered: bool) -> Finding:
    rule = RULES[report.code]
    severity = report.severity or rule.severity
    if (lowered or report.unsure) and severity > Severity.INFO:
        severity = severity.lowered()
    where = definition.location
    kind = kernel_kind(project, definition) or "kernel"
    context = report.context or _line(project, definition, report.location)
    return Finding(
        report.code,
        rule.name,
        severity,
        report.location,
        report.message,
        report.help,
        report.notes,
        Subject("kernel" if kind == "kernel" else "func", definition.qualname, definition.module.path, where.line),
        context,
        None,
        fingerprint(report.code, report.location.path, context, 0),
    )


def _line(project: Project, definition: Definition, location: Location) -> str:
    module: Module | None = definition.module
    if module is not None and module.path != location.path:
        module = next((m for m in project.modules() if m.path == location.path), None)
    if module is None or location.line > len(module.lines):
        return ""
    return module.lines[location.line - 1].strip()


def check_module(
    project: Project, module: Module, settings: Settings, activities: Mapping[Location, KernelActivity]
) -> list[Finding]:
    """Findings of all kernels of a module, and of its funcs that no kernel seen so far calls."""
    if not settings.differentiates or "warp" not in module.source:
        return []
    merged: dict[tuple[str, Location], Finding] = {}
    reached: set[Definition] = set()
    kernels = kernels_of(project, module)
    for definition in kernels:
        if not options_of(project, definition).backward:
            continue
        graph, _ = graph_of(project, definition, settings)
        reached.update(frame.function for frame in graph.frames)
        activity = activities.get(definition.location, UNKNOWN)
        if activity.status == "unknown" and not activity.contexts and unused(project, definition):
            continue
        for finding in check_kernel(project, definition, settings, activity):
            _add(merged, finding)
    funcs = [f for f in functions_of(project, module, "func") if f not in reached]
    loose = [f for f in funcs if not forward_only(project, f)]
    for function in _uncalled(project, loose, settings):
        for finding in check_kernel(project, function, settings, UNKNOWN):
            _add(merged, finding)
    return sorted(merged.values(), key=Finding.sort_key)


def unused(project: Project, definition: Definition) -> bool:
    """A kernel of a program that nothing mentions: never launched."""
    module = definition.module
    if "__main__" not in module.source or definition.parent_class is not None:
        return False
    name = definition.name
    if module.mentions(name, 2) > 1:
        return False
    return not any(other is not module and other.mentions(name) for other in project.modules())


def _uncalled(project: Project, functions: Iterable[Definition], settings: Settings) -> list[Definition]:
    """Functions not called by others of the list: the callers show what is wrong in them."""
    pending = list(functions)
    called: set[Definition] = set()
    for function in pending:
        graph, _ = graph_of(project, function, settings)
        called.update(frame.function for frame in graph.frames if frame.function is not function)
    return [function for function in pending if function not in called]
