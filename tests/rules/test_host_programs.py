"""Whole programs through the host interpreter and all rules: exact findings, and what Warp makes of them."""

from __future__ import annotations

import importlib.util
import json
import subprocess
import sys
from pathlib import Path

import pytest
from packaging.version import Version

from tests.rules.programs import MARK, marks
from warp_lint.config import Overrides
from warp_lint.engine import Request, lint
from warp_lint.findings import Severity

FOLDER = Path(__file__).with_name("host_programs")
PROGRAMS = sorted(path.stem for path in FOLDER.glob("*.py") if path.stem not in ("common", "measure"))


@pytest.mark.parametrize("name", PROGRAMS)
def test_findings(name: str) -> None:
    file = FOLDER / f"{name}.py"
    result = lint(Request([file], Overrides(target_warp=Version("1.19.0")), cache=False))
    found = [(f.code, f.location.line) for f in result.findings if f.severity > Severity.INFO]
    assert not result.errors
    assert sorted(found, key=lambda mark: (mark[1], mark[0])) == marks(file)
    assert all(f.severity is Severity.ERROR for f in result.findings if f.severity > Severity.INFO)


@pytest.mark.skipif(importlib.util.find_spec("warp") is None, reason="runs the programs")
def test_marked_programs_are_wrong_and_others_right() -> None:
    command = [sys.executable, str(FOLDER / "measure.py"), *PROGRAMS]
    done = subprocess.run(command, capture_output=True, text=True, timeout=600, check=True, cwd=FOLDER)
    rows = [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]
    assert [row["name"] for row in rows] == PROGRAMS
    wrong = {row["name"] for row in rows if row["wrong"]}
    marked = {name for name in PROGRAMS if MARK.search((FOLDER / f"{name}.py").read_text("utf-8"))}
    assert wrong == marked, {row["name"]: row["wrong"] for row in rows if row["name"] in wrong ^ marked}
