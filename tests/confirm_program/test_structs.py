"""States that are structs: a launch touches the members that its kernel names, no others."""

from __future__ import annotations

from pathlib import Path

import pytest

pytest.importorskip("warp")

from warp_lint.confirm.options import ConfirmOptions
from warp_lint.confirm.program import confirm_program

PROGRAM = Path(__file__).parent / "programs" / "structs.py"


@pytest.mark.parametrize(
    ("name", "status", "codes"),
    [("named", "right", []), ("through", "right", []), ("shared", "wrong", [("ADJ303", "s.f.zero_()")])],
)
def test_cleared_members(
    name: str,
    status: str,
    codes: list[tuple[str, str]],
    capfd: pytest.CaptureFixture[str],
    pytestconfig: pytest.Config,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    assert pytestconfig.cache is not None
    monkeypatch.setenv("WARP_CACHE_PATH", str(pytestconfig.cache.mkdir("warp-kernels")))
    monkeypatch.chdir(PROGRAM.parent)
    report = confirm_program([PROGRAM.name, name], [], None, ConfirmOptions(total_timeout=120.0))
    assert "warp_lint" not in capfd.readouterr().err
    lines = PROGRAM.read_text().splitlines()
    assert report.status == status, report.sentence
    assert [(f.code, lines[f.location.line - 1].strip()) for f in report.findings] == codes
