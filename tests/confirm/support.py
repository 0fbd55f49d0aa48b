"""Findings made by hand, and one confirmation of a whole source file."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path

from warp_lint.confirm.extract import Extractor
from warp_lint.confirm.kernels import confirm_kernels
from warp_lint.confirm.options import ConfirmOptions
from warp_lint.findings import Finding, Location, Severity, Subject, Verdict
from warp_lint.syntax.project import Project

SOURCES = Path(__file__).parent / "sources"


def options(folder: Path, **changes: object) -> ConfirmOptions:
    return replace(ConfirmOptions(cache_dir=folder, kernel_timeout=2.0), **changes)  # type: ignore[arg-type]


def made(code: str, kind: str, qualname: str, path: str, line: int, at: int = 0) -> Finding:
    """`at`: the line of the finding if it isn't that of the definition."""
    location = Location(path, at or line, 1, at or line, 2)
    return Finding(code, "x", Severity.ERROR, location, "m", subject=Subject(kind, qualname, path, line))


def flagged(
    file: Path, codes: Mapping[str, str], prefixes: Iterable[str], places: Mapping[str, str] | None = None
) -> tuple[Project, list[Finding]]:
    """A finding for every kernel or func of a file whose name starts like one of `prefixes`, on its first
    line or where the text in `places` occurs."""
    project = Project(file.parent)
    module = project.module_at(file)
    assert module is not None
    extractor = Extractor(project)
    found = []
    for definition in module.functions():
        role = extractor.role(definition)
        if role in ("kernel", "func") and definition.name.startswith(tuple(prefixes)):
            code = codes.get(definition.name, "ADJ105")
            text = (places or {}).get(definition.name)
            at = next((n for n, line in enumerate(module.lines, 1) if text in line), 0) if text else 0
            found.append(made(code, role, definition.qualname, module.path, definition.location.line, at))
    return project, found


def verdicts(
    file: Path,
    codes: Mapping[str, str],
    prefixes: Iterable[str],
    chosen: ConfirmOptions,
    places: Mapping[str, str] | None = None,
) -> dict[str, Verdict]:
    """Verdicts by the plain name of the kernel or func."""
    project, findings = flagged(file, codes, prefixes, places)
    result = {}
    for finding in confirm_kernels(findings, project, chosen):
        assert finding.subject is not None and finding.verdict is not None
        result[finding.subject.qualname.rpartition(".")[2]] = finding.verdict
    return result
