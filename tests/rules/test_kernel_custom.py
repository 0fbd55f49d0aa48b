"""ADJ108, ADJ109, ADJ2xx: local arrays, atomics, hand-written adjoints, side effects of funcs."""

from __future__ import annotations

from pathlib import Path

import pytest

from warp_lint.findings import Severity

from .kernel_sources import check, findings, prepared

SQUARE = """
@wp.func
def square(x: float):
    return x * x

@wp.func_grad(square)
def adj_square(x: float, adj_ret: float):
    wp.adjoint[x] {op} 2.0 * x * adj_ret{mark}

@wp.kernel
def k(x: wp.array(dtype=float), n: int, out: wp.array(dtype=float)):
    i = wp.tid()
    v = x[i]
    {use}
"""


@pytest.mark.parametrize(
    ("op", "use", "mark"),
    [
        ("+=", "out[i] = square(v) + 3.0 * v", ""),
        ("=", "out[i] = square(v) + 3.0 * v", "  # ADJ201"),
        ("=", "out[i] = square(v) + square(v)", "  # ADJ201"),
        ("=", "out[i] = square(x[i + 1]) + v", ""),
        ("=", "a = 3.0 * v\n    out[i] = a + square(v)", ""),
        ("=", "s = float(0.0)\n    for j in range(n):\n        s += square(v)\n    out[i] = s", "  # ADJ201"),
    ],
)
def test_assigned_adjoint(tmp_path: Path, op: str, use: str, mark: str) -> None:
    check(tmp_path, SQUARE.format(op=op, use=use, mark=mark))


def test_single_use_of_an_assigned_adjoint_is_info(tmp_path: Path) -> None:
    source = prepared(SQUARE.format(op="=", use="out[i] = square(x[i + 1])", mark="  # ADJ201"))
    assert findings(tmp_path, source, level=Severity.INFO) == {("ADJ201", 9)}


def test_missing_adjoint(tmp_path: Path) -> None:
    check(
        tmp_path,
        """
        @wp.func
        def product(x: float, y: float):
            return x * y

        @wp.func_grad(product)
        def adj_product(x: float, y: float, adj_ret: float):  # ADJ202
            wp.adjoint[x] += y * adj_ret

        @wp.func
        def scaled(x: float, y: float):
            return x * y

        @wp.func_grad(scaled)
        def adj_scaled(x: float, y: float, adj_ret: float):
            wp.adjoint[x] += y * adj_ret

        @wp.kernel
        def k(x: wp.array(dtype=float), y: wp.array(dtype=float), out: wp.array(dtype=float)):
            i = wp.tid()
            out[i] = product(x[i], y[i]) + scaled(x[i], 2.0)
        """,
    )


def test_straight_through_estimators_are_silent(tmp_path: Path) -> None:
    check(
        tmp_path,
        """
        @wp.func
        def hard(x: float):
            return wp.round(x)

        @wp.func_grad(hard)
        def adj_hard(x: float, adj_ret: float):
            wp.adjoint[x] += adj_ret

        @wp.kernel
        def k(x: wp.array(dtype=float), out: wp.array(dtype=float)):
            i = wp.tid()
            out[i] = hard(x[i]) * hard(x[i])
        """,
    )


def test_counters(tmp_path: Path) -> None:
    check(
        tmp_path,
        """
        @wp.func
        def slot(c: wp.array(dtype=int)):
            return wp.atomic_add(c, 0, 1)  # ADJ203

        @wp.func
        def kept(c: wp.array(dtype=int), s: wp.array(dtype=int), i: int):
            v = wp.atomic_add(c, 0, 1)
            s[i] = v
            return v

        @wp.func_replay(kept)
        def replay_kept(c: wp.array(dtype=int), s: wp.array(dtype=int), i: int):
            return s[i]

        @wp.kernel
        def k(x: wp.array(dtype=float), c: wp.array(dtype=int), s: wp.array(dtype=int), out: wp.array(dtype=float)):
            i = wp.tid()
            a = wp.atomic_add(c, 0, 1)  # ADJ203
            out[a] = x[a]
            b = slot(c)
            out[b] = x[b]
            d = kept(c, s, i)
            out[d] = x[d]
        """,
    )


def test_writes_that_the_replay_repeats(tmp_path: Path) -> None:
    check(
        tmp_path,
        """
        @wp.func
        def add_at(b: wp.array(dtype=float), i: int, v: float):
            b[i] += v  # ADJ203

        @wp.func
        def store_at(b: wp.array(dtype=float), i: int, v: float):
            b[i] = v

        @wp.kernel
        def k(a: wp.array(dtype=float), b: wp.array(dtype=float), d: wp.array(dtype=float)):
            i = wp.tid()
            add_at(b, i, a[i] * a[i])
            d[i] = b[i] * b[i]

        @wp.kernel
        def k2(a: wp.array(dtype=float), b: wp.array(dtype=float), d: wp.array(dtype=float)):
            i = wp.tid()
            store_at(b, i, a[i] * a[i])
            d[i] = b[i] * b[i]
        """,
    )


def test_native(tmp_path: Path) -> None:
    check(
        tmp_path,
        """
        @wp.func_native(snippet="return x * x;")  # ADJ204
        def lost(x: float) -> float: ...

        @wp.func_native(snippet="return x * x;", adj_snippet="adj_x += 2.0f * x * adj_ret;")
        def kept(x: float) -> float: ...

        @wp.func_native("return 3;")
        def number(i: int) -> int: ...

        @wp.kernel
        def k(x: wp.array(dtype=float), out: wp.array(dtype=float)):
            i = wp.tid()
            out[i] = lost(x[i]) + kept(x[i]) + float(number(i))
        """,
    )


def test_gradient_in_a_kernel(tmp_path: Path) -> None:
    check(
        tmp_path,
        """
        @wp.func
        def cube(x: float):
            return x * x * x

        @wp.kernel
        def k(x: wp.array(dtype=float), out: wp.array(dtype=float)):
            i = wp.tid()
            out[i] = wp.grad(cube)(x[i])  # ADJ205
        """,
    )


def test_local_arrays(tmp_path: Path) -> None:
    check(
        tmp_path,
        """
        @wp.kernel
        def needed(x: wp.array(dtype=float), out: wp.array(dtype=float)):
            i = wp.tid()
            t = wp.zeros(shape=(3,), dtype=float)  # ADJ108
            t[0] = x[i]
            out[i] = t[0] * t[0]

        @wp.kernel
        def weights(x: wp.array(dtype=float), out: wp.array(dtype=float)):
            i = wp.tid()
            t = wp.zeros(shape=(3,), dtype=float)  # ADJ108
            t[0] = 2.0
            out[i] = t[0] * x[i]

        @wp.kernel
        def stored_twice(x: wp.array(dtype=float), out: wp.array(dtype=float)):
            i = wp.tid()
            t = wp.zeros(shape=(3,), dtype=float)  # ADJ108
            t[0] = x[i]
            a = t[0]
            t[0] = x[i + 1]
            out[i] = a + t[0]

        @wp.kernel
        def linear(x: wp.array(dtype=float), out: wp.array(dtype=float)):
            i = wp.tid()
            t = wp.zeros(shape=(3,), dtype=float)
            t[0] = x[i]
            t[0] += x[i + 1] * x[i + 1]
            out[i] = 3.0 * t[0]
        """,
    )


def test_atomics(tmp_path: Path) -> None:
    check(
        tmp_path,
        """
        @wp.kernel
        def k(x: wp.array(dtype=float), t: wp.array(dtype=float), out: wp.array(dtype=float)):
            i = wp.tid()
            wp.atomic_exch(out, i, x[i])  # ADJ109
            wp.atomic_max(t, 0, x[i])
            old = wp.atomic_add(t, 1, x[i])  # ADJ109
            wp.atomic_add(out, 0, old)
        """,
    )


def test_backward_disabled(tmp_path: Path) -> None:
    check(
        tmp_path,
        """
        @wp.kernel(enable_backward=False)
        def k(a: wp.array(dtype=float), b: wp.array(dtype=float)):
            i = wp.tid()
            a[i] *= b[i]
        """,
    )


def test_integers_are_silent(tmp_path: Path) -> None:
    check(
        tmp_path,
        """
        @wp.kernel
        def k(a: wp.array(dtype=int), v: wp.array(dtype=wp.vec3i)):
            i = wp.tid()
            a[i] = a[i] * a[i]
            w = v[i]
            w[0] = 3
            v[i] = w
        """,
    )
