"""ADJ109 and others: floating-point `atomic_min` and `atomic_max`, measured one by one on Warp 1.19.

Their adjoint compares the value with the element and gives the gradient to the one that is equal; nothing
clears the gradient of what the element held before.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from .kernel_sources import check, check_varied

ARRAY = "wp.array(dtype=float)"


def kernel(body: str) -> str:
    lines = "\n".join("    " + line for line in body.strip("\n").split("\n"))
    return f"@wp.kernel\ndef k(a: {ARRAY}, b: {ARRAY}, c: {ARRAY}, n: int):\n    i = wp.tid()\n{lines}\n"


@pytest.mark.parametrize(
    "body",
    [
        "wp.atomic_max(a, i, b[i])  # ADJ109",
        "wp.atomic_min(a, 0, b[i])  # ADJ109",
        "wp.atomic_max(a, i, 0.3)  # ADJ109",
        "a[i] = -10.0\nwp.atomic_max(a, i, b[i])",
        "a[i] = c[i]\nwp.atomic_max(a, i, b[i])  # ADJ109",
        "a[i] = 0.0\nwp.atomic_add(a, i, c[i])\nwp.atomic_max(a, i, b[i])  # ADJ109",
        "a[i] = -10.0\nwp.atomic_max(a, i, b[i])\nwp.atomic_max(a, i, c[i])",
        "a[i] = -10.0\nwp.atomic_max(a, i, b[i])\nwp.atomic_min(a, i, c[i])",
        "a[i] = -10.0\nfor j in range(6):\n    wp.atomic_max(a, i, b[j] * b[j])",
    ],
)
def test_replaced_value(tmp_path: Path, body: str) -> None:
    check_varied(tmp_path, kernel(body))


@pytest.mark.parametrize(
    "body",
    [
        "a[i] = 0.1\nwp.atomic_max(a, i, b[i])\nc[i] = a[i] * a[i]",
        "a[i] = -10.0\nwp.atomic_max(a, i, b[i])\nwp.atomic_add(a, i, c[i])  # ADJ103",
        "a[i] = -10.0\nwp.atomic_max(a, i, b[i])\na[i] = a[i] * 2.0  # ADJ103",
        "a[i] = -10.0\nwp.atomic_max(a, i, b[i])\na[i] = b[i] * 2.0",
        "a[i] = -10.0\nwp.atomic_max(a, i, b[i])\nif c[i] > 0.0:\n    a[i] = c[i]",
        "a[i] = -10.0\nwp.atomic_max(a, i, b[i])\nc[i] = a[i] * 2.0\na[i] = 1.0  # ADJ103",
        "a[i] = -10.0\nwp.atomic_max(a, i, b[i])\nc[0] += a[i]\nwp.atomic_max(a, i, c[i])  # ADJ103",
    ],
)
def test_element_changed_later(tmp_path: Path, body: str) -> None:
    check_varied(tmp_path, kernel(body))


@pytest.mark.parametrize(
    "body",
    [
        "a[i] = -10.0\nwp.atomic_max(a, i, b[i])\nb[i] = 0.3  # ADJ103",
        "a[i] = -10.0\ns = float(0.0)\nfor j in range(n):\n    s += b[j]  # ADJ106\nwp.atomic_max(a, i, s)",
        "a[i] = -10.0\ns = float(0.0)\nfor j in range(n):\n    s += b[j]  # ADJ105\n    wp.atomic_max(a, i, s)",
        "a[i] = -10.0\nold = wp.atomic_max(a, i, b[i])\nc[i] = old * 2.0",
        "a[i] = b[i]\nold = wp.atomic_max(a, i, 0.5)  # ADJ109\nc[i] = old * 2.0",
    ],
)
def test_value_and_result(tmp_path: Path, body: str) -> None:
    check_varied(tmp_path, kernel(body))


def test_nothing_known_of_the_array(tmp_path: Path) -> None:
    """A fresh array full of a constant is the common case."""
    check(tmp_path, kernel("wp.atomic_max(a, i, b[i])"))


def test_integers(tmp_path: Path) -> None:
    source = """
        @wp.kernel
        def k(a: wp.array(dtype=int), b: wp.array(dtype=int), x: wp.array(dtype=float), y: wp.array(dtype=float)):
            i = wp.tid()
            wp.atomic_max(a, i, b[i])
            y[i] = x[i] * 2.0
    """
    check_varied(tmp_path, source)
