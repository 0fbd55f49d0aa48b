"""Implicit differentiation by a function recorded on the tape: that its arrays are rewritten is no error."""

from __future__ import annotations

from pathlib import Path

import pytest

pytest.importorskip("warp")

from warp_lint.confirm.options import ConfirmOptions
from warp_lint.confirm.program import confirm_program

PROGRAM = Path(__file__).parent / "programs" / "implicit.py"


@pytest.mark.parametrize(("name", "status"), [("right", "right"), ("wrong", "wrong")])
def test_implicit(
    name: str,
    status: str,
    pytestconfig: pytest.Config,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
) -> None:
    assert pytestconfig.cache is not None
    monkeypatch.setenv("WARP_CACHE_PATH", str(pytestconfig.cache.mkdir("warp-kernels")))
    monkeypatch.chdir(PROGRAM.parent)
    report = confirm_program([PROGRAM.name, name], [], None, ConfirmOptions(total_timeout=120.0))
    assert "warp_lint" not in capfd.readouterr().err
    assert (report.status, report.findings) == (status, [])
    parameter = next(p for p in report.backwards[0]["parameters"] if p["name"] == "k")
    assert [row["fd"] for row in parameter["elements"]] == pytest.approx([-0.579425, -0.480324], rel=1e-4)
