"""ADJ414: recorded copies that the program calls a cut of the gradient."""

from __future__ import annotations

from pathlib import Path

import pytest

from warp_lint.config import Overrides
from warp_lint.engine import Request, lint

SOURCE = """import warp as wp


@wp.kernel
def square(x: wp.array(dtype=float), y: wp.array(dtype=float)):
    i = wp.tid()
    y[i] = x[i] * x[i]


def main():
    a = wp.ones(3, dtype=float, requires_grad=True)
    y = wp.zeros(3, dtype=float, requires_grad=True)
    z = wp.zeros(3, dtype=float, requires_grad=True)
    loss = wp.zeros(3, dtype=float, requires_grad=True)
    tape = wp.Tape()
    with tape:
        wp.launch(square, dim=3, inputs=[a], outputs=[y])
        {copy}
        wp.launch(square, dim=3, inputs=[{read}], outputs=[loss])
    tape.backward(grads={{loss: wp.ones(3, dtype=float)}})
    print(a.grad.numpy())


main()
"""


def found(tmp_path: Path, copy: str, read: str) -> set[tuple[str, int, str]]:
    file = tmp_path / "program.py"
    file.write_text(SOURCE.format(copy=copy, read=read))
    request = Request([file], overrides=Overrides(extend_select=("ADJ414",)), cache=False)
    return {(f.code, f.location.line, str(f.severity)) for f in lint(request).findings}


@pytest.mark.parametrize(
    ("copy", "read"),
    [
        ("y_detached = wp.clone(y)", "y_detached"),
        ("frozen = wp.clone(y)", "frozen"),
        ("wp.copy(z, y)  # stop the gradient: stop_grad", "z"),
        ("z.assign(y)  # no grad behind this", "z"),
    ],
)
def test_meant_as_a_cut(tmp_path: Path, copy: str, read: str) -> None:
    assert found(tmp_path, copy, read) == {("ADJ414", 18, "warning")}


def test_comment_above(tmp_path: Path) -> None:
    assert found(tmp_path, "# truncate here\n        wp.copy(z, y)", "z") == {("ADJ414", 19, "warning")}


def test_plain_clone_is_info(tmp_path: Path) -> None:
    assert found(tmp_path, "c = wp.clone(y)", "c") == {("ADJ414", 18, "info")}


@pytest.mark.parametrize(
    ("copy", "read"),
    [
        ("wp.copy(z, y)", "z"),  # a recorded copy that nobody calls a cut
        ("wp.copy(z, y)  # a shortcut, executed once", "z"),  # words that only contain one
    ],
)
def test_silent(tmp_path: Path, copy: str, read: str) -> None:
    assert found(tmp_path, copy, read) == set()


def test_detached_for_good(tmp_path: Path) -> None:
    codes = {code for code, _, _ in found(tmp_path, "y_detached = wp.clone(y, requires_grad=False)", "y_detached")}
    assert "ADJ414" not in codes
