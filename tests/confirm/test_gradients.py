"""Funcs with gradients of their own (ADJ206), and kernels without findings."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.confirm.support import SOURCES, options, verdicts
from warp_lint.confirm.kernels import confirm_kernels
from warp_lint.findings import Finding, Status
from warp_lint.syntax.project import Project

pytest.importorskip("warp")


@pytest.fixture(scope="module")
def found(tmp_path_factory: pytest.TempPathFactory) -> list[Finding]:
    file = SOURCES / "gradients.py"
    project = Project(file.parent)
    assert project.module_at(file) is not None
    return confirm_kernels([], project, options(tmp_path_factory.mktemp("cache"), mode="all"))


def test_only_gradients_that_differ_are_reported(found: list[Finding]) -> None:
    lines = (SOURCES / "gradients.py").read_text().splitlines()
    wrong = {number for number, line in enumerate(lines, 1) if line.endswith("# wrong")}
    assert {(f.code, f.location.line) for f in found} == {("ADJ206", line) for line in wrong}


def test_a_report_carries_numbers_and_names_as_written(found: list[Finding]) -> None:
    cube = next(f for f in found if "adj_cube" in f.message)
    assert cube.message == "`adj_cube` differs from the derivative of `cube`"
    assert cube.verdict is not None and cube.verdict.status is Status.CONFIRMED
    assert cube.verdict.where == "x"
    assert cube.verdict.ad is not None and cube.verdict.fd is not None
    assert cube.verdict.ad / cube.verdict.fd == pytest.approx(2.0 / 3.0, rel=1e-6)


def test_all_checks_kernels_that_no_rule_flagged(tmp_path: Path) -> None:
    file = tmp_path / "plain.py"
    file.write_text(
        "import warp as wp\n\n\n"
        "@wp.kernel\ndef right(x: wp.array(dtype=float), y: wp.array(dtype=float)):\n"
        "    i = wp.tid()\n    y[i] = x[i] * x[i]\n\n\n"
        "@wp.kernel\ndef wrong(x: wp.array(dtype=float), y: wp.array(dtype=float)):\n"
        "    i = wp.tid()\n    y[i] *= x[i]\n\n\n"
        "@wp.kernel(enable_backward=False)\ndef off(x: wp.array(dtype=float), y: wp.array(dtype=float)):\n"
        "    i = wp.tid()\n    y[i] *= x[i]\n\n\n"
        "@wp.kernel\ndef unknown(x: wp.array(dtype=float), y: wp.array(dtype=float)):\n"
        "    i = wp.tid()\n    y[i] = elsewhere(x[i])\n"
    )
    project = Project(tmp_path)
    assert project.module_at(file) is not None
    said: list[str] = []
    found = confirm_kernels([], project, options(tmp_path / "cache", mode="all", tell=said.append))
    assert [(f.code, f.message) for f in found] == [
        ("ADJ206", "The gradient of `wrong` differs from finite differences")
    ]
    (sentence,) = said
    assert sentence.startswith(
        "kernels alone: 1 kernel agrees with finite differences; 1 does not; not judged: `unknown` ("
    )


def test_a_straight_through_estimator_confirms_nothing_about_its_kernel(tmp_path: Path) -> None:
    file = SOURCES / "gradients.py"
    verdict = verdicts(file, {}, ("quantised",), options(tmp_path))["quantised"]
    assert (verdict.status, verdict.reason) == (
        Status.INCONCLUSIVE,
        "`step` has a gradient of its own on purpose, which no difference can confirm",
    )
