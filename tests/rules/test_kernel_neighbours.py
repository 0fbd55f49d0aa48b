"""ADJ110: elements of other threads, by offsets, mirrors, loops and tables of indices; measured on Warp 1.19."""

from __future__ import annotations

from pathlib import Path

import pytest

from warp_lint.findings import Severity

from .kernel_sources import check, findings, prepared

FLOATS, TABLE = "wp.array(dtype=float)", "wp.array(dtype=int)"


def kernel(body: str) -> str:
    lines = "\n".join("    " + line for line in body.strip("\n").split("\n"))
    head = f"x: {FLOATS}, y: {FLOATS}, ix: {TABLE}, jx: {TABLE}, n: int"
    return f"@wp.kernel\ndef k({head}):\n    i = wp.tid()\n{lines}\n"


SURE = [
    "x[i] = x[0] * y[i]  # ADJ110",
    "if i < n:\n    x[i] = x[0] * y[i]  # ADJ110",
    "x[i] = x[n - 1 - i] * 2.0  # ADJ110",
    "x[i] = x[(i + 1) % n] * 2.0  # ADJ110",
    "x[i] = x[(i - 1 + n) % n] * 2.0  # ADJ110",
    "x[i] = x[wp.max(i - 1, 0)] * 2.0  # ADJ110",
    "k = i - 1\nif i == 0:\n    k = n - 1\nx[i] = x[k] * 2.0  # ADJ110",
    "s = float(0.0)\nfor j in range(n):\n    s += x[j]\nx[i] = s  # ADJ110",
    "if i < n:\n    x[i + 1] += x[i] * 2.0  # ADJ110",
    "wp.atomic_add(x, i + 1, x[i] * 2.0)  # ADJ110",
    "y[i] = x[i] * 2.0\nx[i + 1] = 1.0  # ADJ110",
    "for t in range(n):\n    x[i] = 0.5 * (x[i - 1] + x[i + 1])  # ADJ110",
]
MAYBE = [
    "x[i] = x[ix[i]] * x[ix[i]]  # ADJ110",
    "x[i] = x[i] + x[ix[i]] * 2.0  # ADJ110",
    "x[ix[i]] = x[i] * 2.0  # ADJ110",
    "wp.atomic_add(x, ix[i], x[i] * y[i])  # ADJ110",
    "s = float(0.0)\nfor k in range(n):\n    s += x[ix[k]]\nx[i] = x[i] * 0.5 + s  # ADJ110",
    "s = float(0.0)\nif ix[i] >= 0:\n    s = x[ix[i]]\nx[i] = x[i] + s  # ADJ110",
    "if ix[i] >= 0:\n    x[i] = x[i] + x[ix[i]]  # ADJ110",
    "t = x[ix[i]]\ny[i] = t * 2.0\nx[i] = 1.0  # ADJ110",
]
SILENT = [
    "x[ix[i]] = x[ix[i]] * 2.0",  # a permutation: each thread its own
    "x[ix[i]] = x[jx[i]] * 2.0",  # both through tables: a colouring may keep them apart
    "if jx[i] == n:\n    x[i] = x[ix[i]] * y[i]",  # one colour of a graph
    "if i > 0:\n    x[i] = x[0] * y[i]",
    "if i < 3:\n    x[i] = x[i + 3] * x[i + 3]",
    "if i < 3:\n    x[i] = x[5 - i] * 2.0",
    "x[i] += x[i] * 2.0",
    "wp.atomic_add(x, ix[i], y[i] * 2.0)",
    "if i == 0:\n    for j in range(n):\n        x[j + 1] = x[ix[j]] * 2.0",
]


@pytest.mark.parametrize("body", [*SURE, *MAYBE, *SILENT])
def test_neighbours(tmp_path: Path, body: str) -> None:
    check(tmp_path, kernel(body))


@pytest.mark.parametrize(("bodies", "count"), [(SURE, 1), (MAYBE, 0)])
def test_errors(tmp_path: Path, bodies: list[str], count: int) -> None:
    for body in bodies:
        assert len(findings(tmp_path, prepared(kernel(body)), level=Severity.ERROR)) == count


def test_rows(tmp_path: Path) -> None:
    check(
        tmp_path,
        """
        @wp.kernel
        def k(x: wp.array2d(dtype=float), y: wp.array2d(dtype=float), z: wp.array2d(dtype=float),
              w: wp.array2d(dtype=float), left: wp.array(dtype=int), t: int, p: int):
            i, j = wp.tid()
            x[i, j] = x[j, i] * 2.0  # ADJ110
            y[i, j] = y[left[i], j] * 2.0  # ADJ110
            z[t + 1, i] = z[t, left[i]] * 2.0
            w[t, i] = w[p, left[i]] * 2.0

        @wp.kernel
        def ordered(x: wp.array2d(dtype=float), y: wp.array2d(dtype=float), n: int):
            i, j = wp.tid()
            if i < j:
                x[i, j] = x[j, i] * 2.0
            s = float(0.0)
            for k in range(n):
                s += y[i, k]
            y[i, 0] = s
        """,
    )
