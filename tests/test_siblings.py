"""Small programs beside the ground truth, each written because it taught something: exact findings or silence.

`test_corpus/siblings/truth.tsv`: path, verdict measured on Warp 1.19 (autodiff against central differences),
the findings wanted as "line code" pairs, and both gradients.
"""

from __future__ import annotations

import csv
from pathlib import Path

import pytest
from packaging.version import Version

from warp_lint.config import Overrides
from warp_lint.engine import Request, lint
from warp_lint.findings import Severity

SIBLINGS = Path(__file__).resolve().parents[1] / "test_corpus" / "siblings"
# Program -> what the linter doesn't do yet.
KNOWN = {
    "stepped_slices_overlap.py": "steps of slices",
}


def _rows() -> list[dict[str, str]]:
    with (SIBLINGS / "truth.tsv").open(newline="") as stream:
        return list(csv.DictReader(stream, delimiter="\t", quoting=csv.QUOTE_NONE))


def _wanted(row: dict[str, str]) -> set[tuple[int, str]]:
    pairs = [] if row["findings"] == "-" else [pair.split() for pair in row["findings"].split(",")]
    return {(int(line), code) for line, code in pairs}


def _parameters() -> list[object]:
    marks = {name: (pytest.mark.xfail(strict=True, reason=reason),) for name, reason in KNOWN.items()}
    return [pytest.param(row, id=row["path"][:-3], marks=marks.get(row["path"], ())) for row in _rows()]


@pytest.mark.parametrize("row", _parameters())
def test_findings(row: dict[str, str]) -> None:
    request = Request([SIBLINGS / row["path"]], Overrides(target_warp=Version("1.19.0")), cache=False)
    findings = [f for f in lint(request).findings if f.severity > Severity.INFO]
    assert {(f.location.line, f.code) for f in findings} == _wanted(row)


def test_table() -> None:
    """Every program is in the table, and only wrong ones have findings."""
    rows = _rows()
    assert {row["path"] for row in rows} == {path.name for path in SIBLINGS.glob("*.py")}
    assert all((row["1.19.0"] == "right") == (not _wanted(row)) for row in rows)
