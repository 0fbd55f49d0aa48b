"""Gradients that leave for NumPy or torch are read there: what was never zeroed is taken twice."""

from __future__ import annotations

import importlib.util
from pathlib import Path

import pytest

pytest.importorskip("warp")

from warp_lint.confirm.options import ConfirmOptions
from warp_lint.confirm.program import confirm_program

PROGRAM = Path(__file__).parent / "programs" / "bridges.py"
LINES = PROGRAM.read_text().splitlines()


@pytest.fixture(autouse=True)
def _kernel_cache(pytestconfig: pytest.Config, monkeypatch: pytest.MonkeyPatch) -> None:
    assert pytestconfig.cache is not None
    monkeypatch.setenv("WARP_CACHE_PATH", str(pytestconfig.cache.mkdir("warp-kernels")))
    monkeypatch.chdir(PROGRAM.parent)


@pytest.mark.parametrize(("way", "ad", "fd"), [("protocol", 20.25, 6.75), ("optimizer", 20.0089, 6.56952)])
def test_what_is_taken_twice_is_told(way: str, ad: float, fd: float, capfd: pytest.CaptureFixture[str]) -> None:
    if way == "optimizer" and importlib.util.find_spec("torch") is None:
        pytest.skip("torch is not installed")
    report = confirm_program([PROGRAM.name, way, "clear"], [], None, ConfirmOptions(total_timeout=200.0))
    assert (report.status, report.findings) == ("right", [])
    report = confirm_program([PROGRAM.name, way, "keep"], [], None, ConfirmOptions(total_timeout=200.0))
    assert report.status == "wrong"
    backward = next(number for number, line in enumerate(LINES, 1) if "tape.backward" in line)
    assert [(f.code, f.location.line) for f in report.findings] == [("ADJ402", backward)]
    verdict = report.findings[0].verdict
    assert verdict is not None and verdict.ad is not None and verdict.fd is not None
    assert (verdict.ad, verdict.fd) == (pytest.approx(ad, rel=1e-5), pytest.approx(fd, rel=1e-5))
    capfd.readouterr()
