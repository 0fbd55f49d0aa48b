"""Large arrays: derivatives along a random direction may drown where those uphill don't."""

from __future__ import annotations

from pathlib import Path

import pytest

pytest.importorskip("warp")

from warp_lint.confirm.options import ConfirmOptions
from warp_lint.confirm.program import confirm_program

PROGRAM = Path(__file__).parent / "programs" / "uphill.py"


def test_agreement_uphill(pytestconfig: pytest.Config, monkeypatch: pytest.MonkeyPatch) -> None:
    assert pytestconfig.cache is not None
    monkeypatch.setenv("WARP_CACHE_PATH", str(pytestconfig.cache.mkdir("warp-kernels")))
    monkeypatch.chdir(PROGRAM.parent)
    report = confirm_program([PROGRAM.name], [], None, ConfirmOptions(total_timeout=120.0, precision="original"))
    assert report.status == "right", report.sentence
    assert report.backwards[0]["unclear"] == []
    directions = {p["name"]: len(p["directions"]) for p in report.backwards[0]["parameters"]}
    assert directions == {"x": 2, "s": 0}
