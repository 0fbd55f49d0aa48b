"""Grids and trees that launches query: rebuilt under a tape, or not."""

from __future__ import annotations

from pathlib import Path

import pytest

pytest.importorskip("warp")

from warp_lint.confirm.options import ConfirmOptions
from warp_lint.confirm.program import ProgramReport, confirm_program

PROGRAM = Path(__file__).parent / "programs" / "handles.py"


@pytest.fixture(autouse=True)
def _kernel_cache(pytestconfig: pytest.Config, monkeypatch: pytest.MonkeyPatch) -> None:
    assert pytestconfig.cache is not None
    monkeypatch.setenv("WARP_CACHE_PATH", str(pytestconfig.cache.mkdir("warp-kernels")))
    monkeypatch.chdir(PROGRAM.parent)


def run(capfd: pytest.CaptureFixture[str], name: str) -> ProgramReport:
    report = confirm_program([PROGRAM.name, name], [], None, ConfirmOptions(total_timeout=120.0))
    assert "warp_lint" not in capfd.readouterr().err
    assert not [note for note in report.notes if "trouble" in note]
    return report


def line_of(text: str) -> int:
    return next(i for i, line in enumerate(PROGRAM.read_text().splitlines(), 1) if text in line)


@pytest.mark.parametrize(
    ("name", "code", "text", "array"),
    [
        ("rebuilt", "ADJ306", "second.build(", "first"),
        ("moved", "ADJ301", "wp.launch(lift", "points"),
        ("refit", "ADJ306", "mesh.refit()  # boxes", "mesh"),
    ],
)
def test_wrong(name: str, code: str, text: str, array: str, capfd: pytest.CaptureFixture[str]) -> None:
    report = run(capfd, name)
    assert report.status == "wrong"
    assert [(f.code, f.location.line) for f in report.findings] == [(code, line_of(text))]
    finding = report.findings[0]
    assert f"`{array}`" in finding.message
    assert finding.verdict is not None and finding.verdict.ad is not None and finding.verdict.fd is not None
    assert abs(finding.verdict.ad - finding.verdict.fd) > 0.1 * abs(finding.verdict.fd)


@pytest.mark.parametrize("name", ["two", "still", "corners"])
def test_right(name: str, capfd: pytest.CaptureFixture[str]) -> None:
    report = run(capfd, name)
    assert (report.status, report.findings) == ("right", [])
    told = [note for note in report.notes if "queries of a mesh give its points no gradient" in note]
    assert len(told) == (name == "corners")
