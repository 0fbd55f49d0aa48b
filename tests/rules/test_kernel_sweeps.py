"""ADJ103: elements that one loop reads and another one overwrites; measured on Warp 1.19."""

from __future__ import annotations

from pathlib import Path

import pytest

from .kernel_sources import check


def kernel(read: str, write: str, body: str = "a[i, k] = 1.0") -> str:
    """`read` and `write` are the ranges of the two loops."""
    mark = "  # ADJ103" if body.endswith("!") else ""
    return f"""
        @wp.kernel
        def k(a: wp.array2d(dtype=float), out: wp.array(dtype=float), count: wp.array(dtype=int), n: int, m: int):
            i = wp.tid()
            for j in range({read}):
                out[i] += a[i, j] * a[i, j]
            for k in range({write}):
                {body.rstrip("!")}{mark}
        """


@pytest.mark.parametrize(
    ("read", "write", "body"),
    [
        ("n", "n", "a[i, k] = 1.0!"),
        ("n", "n", "a[i, k] *= 2.0!"),
        ("6", "n", "a[i, k] = 1.0!"),
        ("n", "6", "a[i, k] = 1.0!"),
        ("n", "1, n", "a[i, k] = 1.0!"),
        ("n", "m", "a[i, k] = 1.0!"),
        ("n - 1", "n - 1", "a[i, k + 1] = 1.0!"),
        ("count[i]", "count[i]", "a[i, k] = 1.0!"),
        ("n", "n", "a[i, n - 1 - k] = 1.0!"),
        ("m", "m, n", "a[i, k] = 1.0"),
        ("m, n", "m", "a[i, k] = 1.0"),
        ("m", "m", "a[i, k + m] = 1.0"),
        ("0, n, 2", "1, n, 2", "a[i, k] = 1.0"),
        ("n", "n", "out[i] += a[i, k] * a[i, k]"),
    ],
)
def test_two_loops(tmp_path: Path, read: str, write: str, body: str) -> None:
    check(tmp_path, kernel(read, write, body))


def test_nested(tmp_path: Path) -> None:
    check(
        tmp_path,
        """
        @wp.kernel
        def pairs(a: wp.array2d(dtype=float), out: wp.array(dtype=float), n: int):
            i = wp.tid()
            for j in range(n):
                for k in range(j + 1, n):
                    out[i] += a[i, j] * a[i, k]
            for l in range(n):
                a[i, l] = 1.0  # ADJ103

        @wp.kernel
        def prefix(a: wp.array2d(dtype=float), out: wp.array(dtype=float), n: int):
            i = wp.tid()
            for j in range(n):
                for k in range(j):
                    out[i] += a[i, k] * a[i, k]
            for l in range(n):
                a[i, l] = 1.0  # ADJ103

        @wp.func
        def norm(a: wp.array2d(dtype=float), i: int, n: int):
            s = float(0.0)
            for j in range(n):
                s += a[i, j] * a[i, j]
            return s

        @wp.kernel
        def through_func(a: wp.array2d(dtype=float), n: int):
            i = wp.tid()
            s = norm(a, i, n)
            for k in range(n):
                a[i, k] = a[i, k] + s  # ADJ102
        """,
    )
