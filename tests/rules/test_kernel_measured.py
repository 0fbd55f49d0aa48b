"""Kernels in `measured/`: each was run on Warp 1.19, and is marked if and only if its gradient is wrong.

`tests/rules/measured/measure.py FILE…` runs them again.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from packaging.version import Version

from warp_lint.findings import Finding, Severity
from warp_lint.kernels.activity import KernelActivity, LaunchContext
from warp_lint.kernels.analysis import graph_of
from warp_lint.kernels.check import check_kernel
from warp_lint.kernels.detect import kernels_of
from warp_lint.settings import Settings
from warp_lint.syntax.project import Project

from .kernel_sources import expected

FILES = sorted(file for file in (Path(__file__).parent / "measured").glob("*.py") if file.stem != "measure")


def findings_by_kernel(file: Path, version: Version) -> dict[str, list[Finding]]:
    """Findings of every kernel of a file, all arrays with a gradient that goes on to a loss."""
    project = Project(file.parent)
    module = project.module_at(file)
    assert module is not None
    settings = Settings(version, assume_active=True)
    result = {}
    for definition in kernels_of(project, module):
        paths = frozenset(graph_of(project, definition, settings)[0].arrays)
        activity = KernelActivity("active", (LaunchContext(paths, None, paths),))
        found = check_kernel(project, definition, settings, activity)
        result[definition.name] = [f for f in found if f.severity >= Severity.WARNING]
    return result


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_measured(file: Path) -> None:
    found = findings_by_kernel(file, Version("1.19.0"))
    places = {(f.code, f.location.line) for findings in found.values() for f in findings}
    assert places == expected(file.read_text())
