"""ADJ501, ADJ502, ADJ503: singular points and operations that stop the gradient."""

from __future__ import annotations

from pathlib import Path

import pytest

from warp_lint.findings import Severity

from .kernel_sources import check


def kernel(body: str) -> str:
    lines = "\n".join("    " + line for line in body.strip("\n").split("\n"))
    parameters = "x: wp.array(dtype=float), q: wp.array(dtype=wp.vec3), out: wp.array(dtype=float)"
    return f"@wp.kernel\ndef k({parameters}):\n    i = wp.tid()\n    v = x[i]\n    w = q[i]\n{lines}\n"


@pytest.mark.parametrize(
    "body",
    [
        "out[i] = wp.where(v > 0.0, wp.sqrt(v), 0.0)  # ADJ501",
        "out[i] = wp.where(v > 0.0, 1.0 / v, 0.0)  # ADJ501",
        "out[i] = wp.where(v > 0.0, wp.length(w), 0.0)",
        "out[i] = wp.where(v > 0.0, wp.sqrt(v + 1.0e-6), 0.0)",
        "out[i] = wp.where(v > 0.0, wp.sqrt(wp.max(v, 1.0e-6)), 0.0)",
        "out[i] = wp.sqrt(v) if v > 0.0 else 0.0",
        "r = float(0.0)\nif v > 0.0:\n    r = wp.sqrt(v)\nout[i] = r",
        "if v <= 0.0:\n    return\nout[i] = wp.sqrt(v)",
        "s = wp.sqrt(v)  # ADJ502\nif v > 0.0:\n    out[i] = s",
    ],
)
def test_guards(tmp_path: Path, body: str) -> None:
    check(tmp_path, kernel(body))


@pytest.mark.parametrize(
    "body",
    [
        "d = wp.where(v != 0.0, v, EPS)\nout[i] = wp.where(v != 0.0, w[0] / d, 0.0)",
        "d = wp.where(v != 0.0, v, -EPS)\nout[i] = wp.where(v != 0.0, w[0] / d, 0.0)",
        "d = wp.where(v != 0.0, v, float(EPS))\nout[i] = wp.where(v != 0.0, w[0] / d, 0.0)",
        "d = wp.where(v != 0.0, v, sys.float_info.epsilon)\nout[i] = wp.where(v != 0.0, w[0] / d, 0.0)",
        "d = v\nif v == 0.0:\n    d = float(EPS)\nout[i] = wp.where(v != 0.0, w[0] / d, 0.0)",
        "out[i] = wp.where(v > 0.0, wp.sqrt(wp.max(v, EPS)), 0.0)",
        "d = wp.where(w[1] > 0.0, v, EPS)\nout[i] = wp.where(v != 0.0, w[0] / d, 0.0)  # ADJ501",
        "d = v * EPS\nout[i] = wp.where(v != 0.0, w[0] / d, 0.0)  # ADJ501",
    ],
)
def test_constants_of_unknown_value(tmp_path: Path, body: str) -> None:
    """Each measured at `v = 0`: a gradient is NaN if and only if it is marked."""
    check(tmp_path, "import sys\nEPS = sys.float_info.epsilon\n" + kernel(body))


@pytest.mark.parametrize(
    "body",
    [
        "out[i] = wp.sqrt(v)  # ADJ502",
        "out[i] = wp.cbrt(v)  # ADJ502",
        "out[i] = v ** 0.5  # ADJ502",
        "out[i] = v ** 2.0",
        "out[i] = wp.pow(v, 1.5)",
        "out[i] = wp.sqrt(wp.dot(w, w))  # ADJ502",
        "out[i] = wp.sqrt(w[0] * w[0] + w[1] * w[1])  # ADJ502",
        "out[i] = wp.sqrt(w[0] * w[0] + 1.0e-8)",
        "out[i] = wp.length(w)",
        "n = w / wp.length(w)  # ADJ502\nout[i] = n[0]",
        "n = wp.normalize(w)\nout[i] = n[0]",
        "out[i] = wp.sqrt(1.0 + v * v)",
        "out[i] = wp.sqrt(wp.exp(v))",
        "out[i] = wp.sqrt(wp.abs(v) + 0.1)",
        "out[i] = 1.0 / v",
        "out[i] = 1.0 / wp.cosh(v)  # ADJ502",
        "out[i] = 1.0 / (1.0 + wp.exp(-v))",
        "out[i] = wp.exp(-v * v)",
        "d = wp.length(w)\nif d > 1.0e-6:\n    n = w / d\n    out[i] = n[0]",
    ],
)
def test_singular_points(tmp_path: Path, body: str) -> None:
    check(tmp_path, kernel(body))


def test_flat_operations(tmp_path: Path) -> None:
    check(tmp_path, kernel("out[i] = wp.frac(v)  # ADJ503"))
    check(tmp_path, kernel("out[i] = wp.floor(v)  # ADJ503"), level=Severity.INFO)
    check(tmp_path, kernel("out[i] = float(int(v))  # ADJ503"), level=Severity.INFO)
    check(tmp_path, kernel("out[i] = v * wp.floor(v)"), level=Severity.INFO)
