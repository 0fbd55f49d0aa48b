"""Kernels in plain source, with the findings expected of them marked at the end of the lines."""

from __future__ import annotations

import re
import textwrap
from pathlib import Path

from packaging.version import Version

from warp_lint.findings import Severity
from warp_lint.kernels.activity import KernelActivity, LaunchContext
from warp_lint.kernels.analysis import graph_of
from warp_lint.kernels.check import check_module
from warp_lint.kernels.detect import kernels_of
from warp_lint.settings import Settings
from warp_lint.syntax.project import Project

HEADER = "import warp as wp\n"
_MARK = re.compile(r"#\s*((?:ADJ\d{3}(?:,\s*)?)+)")


def expected(source: str) -> set[tuple[str, int]]:
    """(code, line) of the marks in a source."""
    found = set()
    for number, line in enumerate(source.split("\n"), 1):
        match = _MARK.search(line)
        if match:
            found |= {(code.strip(), number) for code in match[1].split(",") if code.strip()}
    return found


def prepared(source: str) -> str:
    return HEADER + textwrap.dedent(source)


def findings(
    tmp_path: Path, source: str, version: str = "1.19.0", level: Severity = Severity.WARNING
) -> set[tuple[str, int]]:
    """(code, line) of what the kernel rules say about a source, all launches assumed differentiated."""
    file = tmp_path / "kernels.py"
    project = Project(tmp_path)
    module = project.add(file, source)
    assert module is not None
    settings = Settings(Version(version), assume_active=True)
    activities: dict[object, KernelActivity] = {}
    found = check_module(project, module, settings, activities)  # type: ignore[arg-type]
    return {(f.code, f.location.line) for f in found if f.severity >= level}


def check(tmp_path: Path, source: str, version: str = "1.19.0", level: Severity = Severity.WARNING) -> None:
    """The findings are exactly the marked ones."""
    text = prepared(source)
    assert findings(tmp_path, text, version, level) == expected(text)


def check_varied(tmp_path: Path, source: str) -> None:
    """The same, where every array holds a function of the inputs before the launch."""
    text = prepared(source)
    project = Project(tmp_path)
    module = project.add(tmp_path / "kernels.py", text)
    assert module is not None
    settings = Settings(Version("1.19.0"), assume_active=True)
    activities = {}
    for definition in kernels_of(project, module):
        paths = frozenset(graph_of(project, definition, settings)[0].arrays)
        context = LaunchContext(paths, None, paths)
        activities[definition.location] = KernelActivity("active", (context,))
    found = check_module(project, module, settings, activities)
    assert {(f.code, f.location.line) for f in found if f.severity >= Severity.WARNING} == expected(text)
