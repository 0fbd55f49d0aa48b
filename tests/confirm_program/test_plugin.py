"""The pytest plug-in: tests fail where the gradients that they compute are wrong."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("warp")

TESTS = """
import unittest

import numpy as np
import pytest
import warp as wp


@wp.kernel
def square(a: wp.array(dtype=wp.float64), b: wp.array(dtype=wp.float64)):
    i = wp.tid()
    b[i] = a[i] * a[i]


def gradient(overwrite):
    a = wp.array([1.0, 2.0], dtype=wp.float64, requires_grad=True)
    b = wp.zeros(2, dtype=wp.float64, requires_grad=True)
    with wp.Tape() as tape:
        wp.launch(square, dim=2, inputs=[a], outputs=[b])
    if overwrite:
        a.fill_(5.0)  # overwritten
    tape.backward(grads={b: wp.ones(2, dtype=wp.float64)})
    return a.grad.numpy()


def test_right():
    assert gradient(False).tolist() == [2.0, 4.0]


def test_wrong():
    gradient(True)


@pytest.mark.warp_gradients
def test_marked():
    gradient(True)


@pytest.mark.warp_gradients(False)
def test_exempt():
    gradient(True)


def test_fails_itself():
    gradient(True)
    assert False, "its own"


def test_without_warp():
    pass


@pytest.fixture
def overwritten():
    return gradient(True)


def test_fixture(overwritten):
    pass


@pytest.fixture
def broken():
    gradient(True)
    raise ValueError("of the fixture")


def test_broken_fixture(broken):
    pass


class TestCase(unittest.TestCase):
    def setUp(self):
        self.gradient = gradient(True)

    def test_case(self):
        self.assertEqual(self.gradient.tolist(), [10.0, 10.0])
"""


def run(folder: Path, *arguments: str) -> tuple[dict[str, str], str]:
    """Outcomes by test name, and the output."""
    (folder / "test_sim.py").write_text(TESTS)
    command = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "-p", "no:xdist", "-rA", "-q", *arguments]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False, timeout=300)
    outcomes = {}
    for line in done.stdout.splitlines():
        word, _, rest = line.partition(" ")
        if word in ("PASSED", "FAILED", "ERROR") and "::" in rest:
            outcomes[rest.split("::")[1].split(" ")[0]] = word.lower()
    return outcomes, done.stdout


@pytest.fixture(autouse=True)
def _kernel_cache(pytestconfig: pytest.Config, monkeypatch: pytest.MonkeyPatch) -> None:
    assert pytestconfig.cache is not None
    monkeypatch.setenv("WARP_CACHE_PATH", str(pytestconfig.cache.mkdir("warp-kernels")))


def test_option(tmp_path: Path) -> None:
    outcomes, out = run(tmp_path, "--warp-gradients")
    assert outcomes == {
        "test_right": "passed",
        "test_wrong": "failed",
        "test_marked": "failed",
        "test_exempt": "passed",
        "test_fails_itself": "failed",
        "test_without_warp": "passed",
        "test_fixture": "failed",
        "test_broken_fixture": "error",
        "TestCase": "failed",
    }
    line = next(i for i, text in enumerate(TESTS.splitlines(), 1) if "# overwritten" in text)
    assert f"OVERWRITTEN  test_sim.py:{line}  by `fill_`" in out
    # Under `CI` pytest repeats whole messages in its summary.
    reports = out.partition("short test summary")[0]
    assert reports.count("OVERWRITTEN") == 5 and "site-packages" not in reports
    assert "FAILED test_sim.py::test_wrong - Failed: ADJ304 `a` is written" in out
    assert "assert False" in out
    assert "SUMMARY: warp-lint: gradients are right: 2 derivatives of 1 backward pass agree" in out


def test_marker_alone(tmp_path: Path) -> None:
    outcomes, _ = run(tmp_path)
    assert {name for name, outcome in outcomes.items() if outcome == "failed"} == {"test_marked", "test_fails_itself"}
