"""Losses too large for single precision: what restored adjoints prove, and what a run in double precision says."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

pytest.importorskip("warp")

from warp_lint.confirm.options import ConfirmOptions
from warp_lint.confirm.program import ProgramReport, confirm_program

PROGRAM = Path(__file__).parent / "programs" / "drowned.py"


@pytest.fixture
def options(pytestconfig: pytest.Config, monkeypatch: pytest.MonkeyPatch) -> ConfirmOptions:
    assert pytestconfig.cache is not None
    monkeypatch.setenv("WARP_CACHE_PATH", str(pytestconfig.cache.mkdir("warp-kernels")))
    monkeypatch.chdir(PROGRAM.parent)
    return ConfirmOptions(total_timeout=240.0, cache_dir=pytestconfig.cache.mkdir("confirm"))


def run(capfd: pytest.CaptureFixture[str], name: str, options: ConfirmOptions) -> tuple[ProgramReport, str]:
    report = confirm_program([PROGRAM.name, name], [], None, options)
    out, err = capfd.readouterr()
    assert "warp_lint" not in err, err
    return report, out


def line_of(text: str) -> int:
    return next(i for i, line in enumerate(PROGRAM.read_text().splitlines(), 1) if text in line)


TWICE = "the program was run a second time, with double precision in place of single"


def test_right_in_double_precision(capfd: pytest.CaptureFixture[str], options: ConfirmOptions) -> None:
    report, out = run(capfd, "right", options)
    assert report.status == "right"
    assert report.sentence.startswith("in double precision, gradients are right: ")
    assert report.notes == [TWICE]
    assert out.count("float32") == 1  # what the second run prints is not shown
    element = next(p for p in report.backwards[0]["parameters"] if p["name"] == "k")["elements"][0]
    assert element["ad"] == pytest.approx(0.00814, rel=1e-5)
    assert element["fd"] == pytest.approx(0.00814, rel=1e-2)


def test_not_judged_without_double_precision(capfd: pytest.CaptureFixture[str], options: ConfirmOptions) -> None:
    report, _ = run(capfd, "right", replace(options, precision="original"))
    assert report.status == "inconclusive"
    assert report.sentence == "gradients could not be judged: finite differences were drowned in rounding"


def test_overwrites_need_no_differences(capfd: pytest.CaptureFixture[str], options: ConfirmOptions) -> None:
    report, _ = run(capfd, "wrong", options)
    assert [(f.code, f.location.line) for f in report.findings] == [("ADJ304", line_of("x.zero_()"))]
    verdict = report.findings[0].verdict
    assert verdict is not None and (verdict.ad, verdict.where) == (0.0, "k.grad[0]")
    assert verdict.fd == pytest.approx(0.00814, rel=1e-5)
    assert report.notes == []


def test_what_may_be_meant_needs_differences(capfd: pytest.CaptureFixture[str], options: ConfirmOptions) -> None:
    report, _ = run(capfd, "severed", replace(options, precision="original"))
    assert (report.status, report.findings) == ("inconclusive", [])
    report, _ = run(capfd, "severed", options)
    assert [(f.code, f.location.line) for f in report.findings] == [("ADJ404", line_of("e = wp.zeros(4, dtype=float)"))]
    assert report.notes == [TWICE]


def test_a_wrong_adjoint_in_double_precision(capfd: pytest.CaptureFixture[str], options: ConfirmOptions) -> None:
    report, _ = run(capfd, "loop", options)
    assert report.status == "wrong"
    assert [(f.code, f.location.line) for f in report.findings] == [("ADJ105", line_of("p = p * k[0]"))]
    assert TWICE in report.notes
