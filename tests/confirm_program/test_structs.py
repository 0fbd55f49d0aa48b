"""Structs that hold arrays, of which a launch touches the members that its kernel names, and arrays of structs."""

from __future__ import annotations

from pathlib import Path

import pytest

pytest.importorskip("warp")

import warp

from warp_lint.confirm.live.internals import release
from warp_lint.confirm.options import ConfirmOptions
from warp_lint.confirm.program import confirm_program

FOLDER = Path(__file__).parent / "programs"


@pytest.mark.parametrize(
    ("arguments", "status", "codes"),
    [
        ("structs.py named", "right", []),
        ("structs.py through", "right", []),
        ("structs.py shared", "wrong", [("ADJ303", "s.f.zero_()")]),
        ("particles.py uniform once", "right", []),
        ("particles.py mixed once", "right", []),
        (
            "particles.py uniform again",
            "wrong",
            [("ADJ301", "wp.launch(first, dim=2, inputs=[other, m], outputs=[p])")],
        ),
        ("particles.py mixed again", "wrong", [("ADJ301", "wp.launch(first, dim=2, inputs=[other, m], outputs=[p])")]),
    ],
)
def test_structs(
    arguments: str,
    status: str,
    codes: list[tuple[str, str]],
    capfd: pytest.CaptureFixture[str],
    pytestconfig: pytest.Config,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    if arguments.startswith("particles") and release(warp.__version__) < (1, 16):
        pytest.skip("elements of struct arrays get no gradient in this Warp")
    assert pytestconfig.cache is not None
    monkeypatch.setenv("WARP_CACHE_PATH", str(pytestconfig.cache.mkdir("warp-kernels")))
    monkeypatch.chdir(FOLDER)
    report = confirm_program(arguments.split(), [], None, ConfirmOptions(total_timeout=120.0))
    assert "warp_lint" not in capfd.readouterr().err
    lines = (FOLDER / arguments.split()[0]).read_text().splitlines()
    assert report.status == status, report.sentence
    assert [(f.code, lines[f.location.line - 1].strip()) for f in report.findings] == codes
