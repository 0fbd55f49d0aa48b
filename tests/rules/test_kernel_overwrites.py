"""ADJ101, ADJ102, ADJ103, ADJ110: elements overwritten inside a kernel."""

from __future__ import annotations

from pathlib import Path

import pytest

from warp_lint.kernels.check import check_module
from warp_lint.settings import Settings
from warp_lint.syntax.project import Project

from .kernel_sources import check, prepared

ARRAY = "wp.array(dtype=float)"


def kernel(body: str, parameters: str = "a b c", extra: str = "") -> str:
    names = ", ".join(f"{name}: {ARRAY}" for name in parameters.split())
    lines = "\n".join("    " + line for line in body.strip("\n").split("\n"))
    return f"@wp.kernel\ndef k({names}{extra}):\n    i = wp.tid()\n{lines}\n"


@pytest.mark.parametrize(
    "body",
    [
        "a[i] *= b[i]  # ADJ101",
        "a[i] /= b[i]  # ADJ101",
        "a[i] **= b[i]  # ADJ101",
        "a[i] *= 2.0",
        "a[i] *= float(i)",
        "a[i] += b[i] * b[i]",
        "a[i] -= b[i]",
        "a[i] += a[i] * b[i]  # ADJ102",
        "x = b[i]\nx *= a[i]\nc[i] = x * x",
        "a[i] = a[i] * b[i]  # ADJ102",
        "a[i] = wp.sin(a[i])  # ADJ102",
        "a[i] = wp.max(a[i], 0.5)",
        "a[i] = wp.max(0.5, a[i])  # ADJ102",
        "a[i] = wp.clamp(a[i], 0.0, 1.0)  # ADJ102",
        "a[i] = a[i] * 2.0 + b[i]",
        "t = a[i]\nt = t * t\na[i] = t  # ADJ102",
        "t = a[i]\nif t > 1.0:\n    a[i] = 1.0  # ADJ102",
        "if b[i] > 1.0:\n    a[i] = 1.0\nc[i] = a[i]",
        "a[i] = a[i]",
        "a[i] = b[i] * b[i]\na[i] = a[i] * a[i]  # ADJ102",
        "a[i] = b[i] * b[i]\nc[i] = a[i] * a[i]",
    ],
)
def test_in_place(tmp_path: Path, body: str) -> None:
    check(tmp_path, kernel(body))


@pytest.mark.parametrize(
    "body",
    [
        "b[i] = a[i] * a[i]\na[i] = 1.0  # ADJ103",
        "b[i] = 3.0 * a[i]\na[i] = 1.0",
        "b[i] = a[i] * a[i]\na[i] += 1.0  # ADJ103",
        "b[i] = a[i] * a[i]\na[i + 1] = 1.0  # ADJ110",
        "b[i] = wp.exp(a[i])\na[i] = 1.0  # ADJ103",
        "b[i] = wp.log(a[i])\na[i] = 1.0  # ADJ103",
        "x = wp.exp(a[i])\na[i] = 1.0  # ADJ103\nb[i] = x * c[i]",
        "if c[i] > 0.0:\n    b[i] = a[i] * a[i]\nelse:\n    a[i] = 1.0",
        "x = a[0] * a[0]\na[0] = a[1] * a[1]  # ADJ103\na[1] = x  # ADJ103",
        "for j in range(3):\n    b[j] = a[j] * a[j]\n    a[j] = 0.0  # ADJ103",
        "b[i] = a[i] * a[i]\nwp.atomic_add(a, i, 1.0)  # ADJ103",
        "wp.atomic_add(b, i, a[i] * a[i])",
    ],
)
def test_read_then_overwritten(tmp_path: Path, body: str) -> None:
    check(tmp_path, kernel(body))


@pytest.mark.parametrize(
    "body",
    [
        "for j in range(n):\n    a[j + 1] = wp.sin(a[j]) * b[j]",
        "for j in range(n):\n    a[j] = wp.sin(a[j + 1]) * b[j]  # ADJ103",
        "for j in range(n):\n    a[0] = wp.sin(a[0]) * b[j]  # ADJ102",
        "for j in range(n):\n    a[j] = b[j]\nfor j in range(n):\n    c[j] = a[j] * a[j]\n"
        "for j in range(n):\n    a[j] = 0.0  # ADJ103",
        "for j in range(n):\n    a[2 * j] = a[2 * j + 1] * b[j]",
        "for j in range(n):\n    c[j] = a[j] * a[j]\na[3] = 0.0  # ADJ103",
    ],
)
def test_across_passes(tmp_path: Path, body: str) -> None:
    check(tmp_path, kernel(body, extra=", n: int"))


def test_inside_a_func(tmp_path: Path) -> None:
    check(
        tmp_path,
        """
        @wp.func
        def scale(a: wp.array(dtype=float), i: int, s: float):
            a[i] = a[i] * s  # ADJ102

        @wp.kernel
        def k(a: wp.array(dtype=float), b: wp.array(dtype=float)):
            i = wp.tid()
            scale(a, i, b[i])
        """,
    )


def test_neighbours(tmp_path: Path) -> None:
    check(
        tmp_path,
        """
        @wp.kernel
        def wrong(a: wp.array(dtype=float)):
            i = wp.tid()
            a[i] = 0.5 * (a[i] + a[i + 1])  # ADJ110

        @wp.kernel
        def single_thread(a: wp.array(dtype=float), n: int):
            for j in range(n):
                a[j] = a[j] + 0.5 * a[j + 1]

        @wp.kernel
        def red_black(a: wp.array(dtype=float), colour: int):
            i = wp.tid()
            if i % 2 == colour:
                a[i] = 0.5 * (a[i] + a[i + 1])

        @wp.kernel
        def blocks(a: wp.array(dtype=float)):
            i = wp.tid()
            a[2 * i] = a[2 * i + 1] + 1.0
        """,
    )


def test_views_and_struct_members(tmp_path: Path) -> None:
    check(
        tmp_path,
        """
        @wp.struct
        class State:
            q: wp.array(dtype=float)
            v: wp.array(dtype=float)

        @wp.kernel
        def k(s: State, m: wp.array2d(dtype=float)):
            i = wp.tid()
            s.q[i] = s.q[i] * s.v[i]  # ADJ102
            row = m[i]
            x = row[0] * row[0]
            m[i, 0] = x  # ADJ102
        """,
    )


def test_swap_of_squares_before_1_13_and_now(tmp_path: Path) -> None:
    source = """
        @wp.kernel
        def k(a: wp.array(dtype=float)):
            i = wp.tid()
            a[i] = 2.0 * a[i]{mark}
        """
    check(tmp_path, source.format(mark=""), "1.13.0")
    check(tmp_path, source.format(mark="  # ADJ102"), "1.12.0")


def test_components_left_as_they_were(tmp_path: Path) -> None:
    check(
        tmp_path,
        """
        @wp.kernel
        def added(p: wp.array(dtype=wp.vec3)):
            i = wp.tid()
            x = p[i]
            p[i] = x + wp.vec3(0.0, wp.sin(x[0]), 0.0)

        @wp.kernel
        def built(p: wp.array(dtype=wp.vec3)):
            i = wp.tid()
            x = p[i]
            p[i] = wp.vec3(x[0], x[1] + wp.sin(x[0]), x[2])

        @wp.kernel
        def factor(p: wp.array(dtype=wp.vec3)):
            i = wp.tid()
            x = p[i]
            p[i] = wp.vec3(x[0], x[1] * wp.sin(x[0]), x[2])  # ADJ102

        @wp.kernel
        def same_one(p: wp.array(dtype=wp.vec3)):
            i = wp.tid()
            x = p[i]
            p[i] = x - wp.vec3(wp.sin(x[0]), 0.0, 0.0)  # ADJ102

        @wp.kernel
        def two(p: wp.array(dtype=wp.vec3)):
            i = wp.tid()
            x = p[i]
            p[i] = x + wp.vec3(0.0, wp.sin(x[0]), x[2] * x[2])  # ADJ102
        """,
    )


def test_stores_in_both_arms_clear_nothing_that_counts(tmp_path: Path) -> None:
    check(
        tmp_path,
        """
        @wp.kernel
        def shade(n: int, c: wp.vec3, out: wp.array(dtype=wp.vec3)):
            i = wp.tid()
            d = float(i)
            for j in range(n):
                d = d * 0.5 - 1.0
            if d < 0.0:
                out[i] = c * d
            else:
                out[i] = c
        """,
    )


def test_one_need_is_one_finding(tmp_path: Path) -> None:
    source = """
        @wp.kernel
        def k(tau: wp.array(dtype=float), q: wp.array(dtype=wp.quat), start: wp.array(dtype=int)):
            i = wp.tid()
            j = start[i]
            f = wp.quat_rotate(q[i], wp.vec3(tau[j + 0], tau[j + 1], tau[j + 2]))
            t = wp.quat_rotate(q[i], wp.vec3(tau[j + 3], tau[j + 4], tau[j + 5]))
            tau[j + 0] = f[0]  # ADJ102
            tau[j + 1] = f[1]
            tau[j + 2] = f[2]
            tau[j + 3] = t[0]
            tau[j + 4] = t[1]
            tau[j + 5] = t[2]
        """
    check(tmp_path, source)


def test_long_code_is_cut_with_an_ellipsis(tmp_path: Path) -> None:
    text = prepared(
        """
        @wp.kernel
        def k(a: wp.array(dtype=float), b: wp.array(dtype=float)):
            i = wp.tid()
            b[i] = wp.sin(
                a[i] * 2.0 + a[i] * 3.0 + a[i] * 4.0 + a[i] * 5.0 + a[i] * 6.0 + a[i] * 7.0
            )
            a[i] = 1.0
        """
    )
    project = Project(tmp_path)
    module = project.add(tmp_path / "m.py", text)
    assert module is not None
    (finding,) = check_module(project, module, Settings(assume_active=True), {})
    assert [note.message for note in finding.notes] == [
        "the adjoint of `wp.sin( a[i] * 2.0 + a[i] * 3.0 + a[i] * 4.0 + a[i] * 5.0 +…` reads the old value"
    ]
