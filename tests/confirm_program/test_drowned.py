"""Losses too large for single precision: what restored adjoints prove, and what a run in double precision says."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path

import pytest

pytest.importorskip("warp")

from warp_lint.confirm.options import ConfirmOptions
from warp_lint.confirm.program import ProgramReport, Run, astray, confirm_program, execute

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


def test_sums_in_half_precision(capfd: pytest.CaptureFixture[str], options: ConfirmOptions) -> None:
    report, out = run(capfd, "half", options)
    assert (report.status, report.notes) == ("right", [TWICE])
    assert out.count("float16") == 1
    element = report.backwards[0]["parameters"][0]["elements"][0]
    assert (element["ad"], element["fd"]) == (1.0, pytest.approx(1.0, rel=1e-6))


def test_gradients_lost_in_half_precision(capfd: pytest.CaptureFixture[str], options: ConfirmOptions) -> None:
    report, _ = run(capfd, "lost", options)
    assert (report.status, report.notes) == (
        "inconclusive",
        [
            "double precision gave no answer either: "
            "`x.grad[0]` is 2048 in the program's precision and 4096 in double precision"
        ],
    )


def backward(number: int, ad: float, fd: float, size: int = 4) -> dict[str, object]:
    row = {"index": 0, "ad": ad, "ideal": ad, "fd": fd, "error": 1e-6, "kink": False}
    parameter = {"name": "k", "shape": [1], "inner": [], "seed": False, "size": 1, "elements": [row]}
    return {"number": number, "status": "right", "bytes": size, "parameters": [parameter]}


def test_precisions_that_disagree() -> None:
    double = [backward(1, 4.0, 4.0), backward(2, 5.0, 5.0)]
    assert astray([backward(1, 4.03, 0.0), backward(2, 4.98, 0.0)], double) == ""
    assert astray([backward(1, 4.0, 0.0), backward(2, 4.5, 0.0)], double) == (
        "`k.grad[0]` is 4.5 in the program's precision and 5 in double precision"
    )
    assert astray([backward(2, 4.6, 0.0, 2)], double) == ""


def promoted(options: ConfirmOptions, *arguments: str, double: bool = True) -> Run:
    null = os.open(os.devnull, os.O_RDWR)
    try:
        return execute(["promoted.py", *arguments], options, null, double=double, limit=20.0)
    finally:
        os.close(null)


def test_what_there_is_in_single_precision_only(options: ConfirmOptions) -> None:
    single, double = promoted(options, double=False), promoted(options)
    values = [run.all("backward")[0]["value"] for run in (single, double)]
    assert values[0] == pytest.approx(values[1], rel=1e-4)
    assert [double.all("backward")[0][key] for key in ("status", "bytes")] == ["right", 8]


def test_objects_of_single_precision_are_refused(options: ConfirmOptions) -> None:
    run = promoted(options, "mesh")
    assert run.all("exception")[0]["type"] == "SinglePrecisionOnly"
