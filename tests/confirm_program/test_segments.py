"""Gradients that the program hands from pass to pass itself, into arrays that the tape goes on to read."""

from __future__ import annotations

from pathlib import Path

import pytest

pytest.importorskip("warp")

from warp_lint.confirm.options import ConfirmOptions
from warp_lint.confirm.program import ProgramReport, confirm_program

PROGRAM = Path(__file__).parent / "programs" / "segments.py"


@pytest.fixture
def run(pytestconfig: pytest.Config, monkeypatch: pytest.MonkeyPatch) -> object:
    assert pytestconfig.cache is not None
    monkeypatch.setenv("WARP_CACHE_PATH", str(pytestconfig.cache.mkdir("warp-kernels")))
    monkeypatch.chdir(PROGRAM.parent)

    def runner(name: str) -> ProgramReport:
        return confirm_program([PROGRAM.name, name], [], None, ConfirmOptions(total_timeout=120.0))

    return runner


def test_gradients_handed_on_are_seeds(run: object) -> None:
    report = run("good")  # type: ignore[operator]
    assert report.status == "right", report.sentence
    assert report.findings == []
    # The last segment's forward runs again over the very values that it computed before.
    assert [b["status"] for b in report.backwards] == ["right"] * 3
    assert all(len(b["parameters"]) == 2 for b in report.backwards)


def test_what_an_earlier_pass_left_is_none(run: object) -> None:
    report = run("bad")  # type: ignore[operator]
    assert report.status == "wrong", report.sentence
    assert {f.code for f in report.findings} == {"ADJ402"}
