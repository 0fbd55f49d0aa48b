"""Values of very different sizes, outputs that only native code writes, and what reports say of elements."""

from __future__ import annotations

import re
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import numpy as np
import pytest

pytest.importorskip("warp")

from warp_lint.confirm.live.internals import Element
from warp_lint.confirm.live.rounding import element_sizes, spread
from warp_lint.confirm.live.steps import Touch
from warp_lint.confirm.live.window import Region
from warp_lint.confirm.options import ConfirmOptions
from warp_lint.confirm.program import ProgramReport, confirm_program, numbers
from warp_lint.report.program import numbers as table
from warp_lint.report.program import render

PROGRAM = Path(__file__).parent / "programs" / "scales.py"


@pytest.fixture
def options(pytestconfig: pytest.Config, monkeypatch: pytest.MonkeyPatch) -> ConfirmOptions:
    assert pytestconfig.cache is not None
    monkeypatch.setenv("WARP_CACHE_PATH", str(pytestconfig.cache.mkdir("warp-kernels")))
    monkeypatch.chdir(PROGRAM.parent)
    return ConfirmOptions(total_timeout=240.0, cache_dir=pytestconfig.cache.mkdir("confirm"))


def run(name: str, options: ConfirmOptions) -> ProgramReport:
    return confirm_program([PROGRAM.name, name], [], None, options)


def test_small_values_beside_large_ones(options: ConfirmOptions) -> None:
    report = run("tiny", options)
    assert report.status == "right"
    mass = next(p for p in report.backwards[0]["parameters"] if p["name"] == "m")["elements"]
    for row, exact in zip(mass, (-0.5 / 3e-9, -0.6 / 2e-9, -0.7 / 1e-3, -0.8 / 3e-3), strict=True):
        assert row["ad"] == pytest.approx(exact, rel=1e-3)
        assert row["fd"] == pytest.approx(exact, rel=1e-3)


def test_small_values_beside_large_ones_through_the_host(options: ConfirmOptions) -> None:
    report = run("host", options)
    assert [f.code for f in report.findings] == ["ADJ408"]
    rows = next(p for p in report.backwards[0]["parameters"] if p["name"] == "x")["elements"]
    assert [row["ad"] for row in rows] == pytest.approx([1.0, -1e6], rel=1e-3)
    assert [row["fd"] for row in rows] == pytest.approx([2.0, -1e6], rel=1e-2)


def test_outputs_of_native_code_are_no_inputs(options: ConfirmOptions) -> None:
    report = run("native", options)
    assert report.status == "right"
    assert [p["name"] for p in report.backwards[0]["parameters"]] == ["x"]


def test_wrong_native_code(options: ConfirmOptions) -> None:
    report = run("wrong", options)
    assert [(f.code, f.location.line) for f in report.findings] == [("ADJ206", line_of("def cubes_wrong("))]
    assert [p["name"] for p in report.backwards[0]["parameters"]] == ["x"]
    assert "y.grad" not in "\n".join(render(report))


@pytest.mark.parametrize(("name", "passes"), [("twice", 2), ("fourfold", 4)])
def test_passes_that_add_up(name: str, passes: int, options: ConfirmOptions) -> None:
    text = "\n".join(render(run(name, options)))
    assert re.findall(r"adds up over (\d+) backward passes", text) == [str(passes)]


def line_of(text: str) -> int:
    return next(i for i, line in enumerate(PROGRAM.read_text().splitlines(), 1) if text in line)


def test_sizes_of_elements() -> None:
    start = np.array([2.0, 1e-9, 0.0, 0.0], np.float32)
    later = np.array([2.5, 1.0, 3e-9, 0.0], np.float32)
    element = Element(np.dtype(np.float32), (), 4, True, "float32")
    touch = Touch(("a",), 4096, 4112, 4096, (4,), (4,), element, after=later.view(np.uint8))
    region = Region(0, 4096, 4112, touches=[(cast("Any", None), touch)])
    sizes = element_sizes(touch, region, start.view(np.uint8))
    assert sizes == pytest.approx([2.0, 1e-9, 3e-9, 1.0], rel=1e-6)


def test_one_leap_is_no_rounding() -> None:
    values = iter([1.0 + 1e-6, 7.0, 1.0 - 2e-6])
    assert spread(1.0, lambda: next(values)) == pytest.approx(2e-6, rel=1e-6)


def backward(status: str, *elements: tuple[float, float, float]) -> dict[str, Any]:
    rows = [
        {"index": i, "ad": ad, "ideal": ad, "fd": fd, "error": error, "kink": False}
        for i, (ad, fd, error) in enumerate(elements)
    ]
    parameter = {"name": "w", "size": len(rows), "shape": [2, 2], "inner": [], "seed": False, "elements": rows}
    return {
        "status": status,
        "number": 1,
        "site": ["train.py", 3],
        "launches": 2,
        "parameters": [{**parameter, "directions": []}],
    }


def test_differences_are_beside_the_largest_element() -> None:
    noisy = backward("right", (1.0, 1.01, 1e-3), (1e-3, 2e-5, 4e-4), (0.5, -0.5, 0.4))
    assert numbers([noisy]) == (
        "2 derivatives of 1 backward pass agree with finite differences "
        "(largest relative difference 9.9e-03; 1 left out for rounding)"
    )


def test_kinks_are_counted() -> None:
    kink = backward("right", (0.0, 0.5, 1e-3), (1.0, 1.0, 1e-3))
    kink["parameters"][0]["elements"][0]["kink"] = True
    assert numbers([kink]) == (
        "1 derivative of 1 backward pass agree with finite differences "
        "(largest relative difference 0.0e+00; 1 at kinks or jumps)"
    )


def rows(status: str, *backwards: dict[str, Any]) -> list[list[str]]:
    text = table(cast("ProgramReport", SimpleNamespace(status=status, backwards=list(backwards))))
    return [line.replace("grad[", "").split() for line in text.splitlines()[2:]]


def test_the_worst_element_is_in_the_table() -> None:
    first, second = backward("right", (1.0, 1.02, 1e-3)), backward("right", (1.0, 1.001, 1e-3))
    assert rows("right", first, second) == [["w.0,", "0]", "1", "1.02", "0.9804"]]


def test_a_pass_that_is_right_taken_alone() -> None:
    passes = [backward("right", (1.0, 1.0, 1e-3))]
    for status, text in (("right", "right"), ("wrong", "right, taken alone")):
        table_ = table(cast("ProgramReport", SimpleNamespace(status=status, backwards=passes)))
        assert table_.splitlines()[0] == f"backward 1 (train.py:3), 2 launches: {text}"


def test_elements_of_what_could_not_be_judged() -> None:
    unclear = backward("inconclusive", (1.0, 1.0, 1e-3), (0.5, 1.0, 1e-3), (0.2, 0.9, 0.5))
    assert rows("inconclusive", unclear) == [["w.0,", "1]", "0.5", "1", "0.5"]]
