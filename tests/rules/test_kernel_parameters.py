"""ADJ104, ADJ105: funcs that change their parameter in place; every case measured on Warp 1.19."""

from __future__ import annotations

from pathlib import Path

import pytest

from .kernel_sources import check

STRUCTS = """\
@wp.struct
class P:
    a: float
    b: float
    v: wp.vec3

@wp.struct
class Q:
    p: P
    c: float

@wp.func
def read_b(p: P):
    return p.b * p.b

"""
ARRAY = "wp.array(dtype=float)"


def source(func: str, body: str) -> str:
    lines = "\n".join("    " + line for line in body.strip("\n").split("\n"))
    head, _, rest = func.partition(":\n")
    return (
        f"{STRUCTS}@wp.func\ndef {head}:\n{rest}\n"
        f"@wp.kernel\ndef k(x: {ARRAY}, y: {ARRAY}, out: {ARRAY}, n: int):\n    i = wp.tid()\n{lines}\n"
    )


FILLED = "p = P()\np.a = x[i]\np.b = y[i]\n"
VECTOR = "v = wp.vec3(x[i], y[i], y[i])\n"
SCALED = "t = x[i] * 1.5\n"
TAKES = "f(p: P, s: float):\n    p.a = s  # ADJ104\n"
KEEPS = "f(p: P, s: float):\n    p.a = s\n"


@pytest.mark.parametrize(
    ("func", "body"),
    [
        (TAKES, FILLED + "f(p, y[i])\nout[i] = p.a * p.b"),
        (TAKES, FILLED + "f(p, 2.0)\nout[i] = p.a * p.b"),
        (TAKES, "p = P()\nf(p, y[i])\nout[i] = p.a * x[i]"),
        (TAKES, FILLED + "f(p, y[i])\nq = p\nout[i] = q.a"),
        (TAKES, FILLED + "s = float(0.0)\nfor j in range(n):\n    s += p.a\n    f(p, y[i])\nout[i] = s"),
        (TAKES, FILLED + "s = float(0.0)\nfor j in range(2):\n    s += p.a\n    f(p, y[i])\nout[i] = s"),
        (KEEPS, FILLED + "r = p.a * p.b\nf(p, 3.0)\nout[i] = r"),
        (KEEPS, FILLED + "f(p, x[i])\nout[i] = p.b * y[i]"),
        (KEEPS, FILLED + "f(p, x[i])\np.a = y[i]\nout[i] = p.a * y[i]"),
        (KEEPS, FILLED + "q = p\nf(q, y[i])\nout[i] = p.a"),
        (KEEPS, FILLED + "f(p, y[i])\nout[i] = read_b(p)"),
        ("f(p: P, s: float):\n    p.a = p.a * s  # ADJ104\n", FILLED + "f(p, y[i])\nout[i] = p.a * 3.0"),
        ("f(p: P, s: float):\n    p.a += s  # ADJ104\n", FILLED + "f(p, y[i])\nout[i] = p.a"),
        ("f(p: P, s: float):\n    p.a += s\n", FILLED + "f(p, 1.0)\nout[i] = p.a"),
        ("f(p: P, s: float):\n    p.a = s\n    return p\n", FILLED + "q = f(p, y[i])\nout[i] = q.a * q.b"),
        ("f(p: P, s: float):\n    p.a = s  # ADJ104\n    return p\n", FILLED + "q = f(p, y[i])\nout[i] = q.a * p.a"),
        ("f(p: P, s: float):\n    p.a = s\n    return p.a * p.b\n", FILLED + "out[i] = f(p, x[i])"),
        ("f(p: P, s: float):\n    if s > 0.0:\n        p.a = s  # ADJ104\n", FILLED + "f(p, y[i])\nout[i] = p.a"),
        ("f(p: P, s: wp.vec3):\n    p.v = s  # ADJ104\n", "p = P()\nf(p, wp.vec3(x[i]))\nout[i] = p.v[0]"),
        ("f(q: Q, s: float):\n    q.p.a = s  # ADJ104\n", "q = Q()\nf(q, x[i])\nout[i] = q.p.a * y[i]"),
        ("f(v: wp.vec3, s: float):\n    v[0] = s  # ADJ104\n", "v = wp.vec3()\nf(v, y[i])\nout[i] = v[0] * x[i]"),
        ("f(v: wp.vec3, s: float):\n    v[0] = s\n", VECTOR + "f(v, 2.0)\nout[i] = v[0]"),
        ("f(v: wp.vec3, s: float):\n    v[0] = s\n", VECTOR + "r = v[0] * y[i]\nf(v, x[i])\nout[i] = r"),
        ("f(v: wp.vec3, s: float):\n    v[0] += s  # ADJ104\n", VECTOR + "f(v, y[i])\nout[i] = v[0]"),
        ("f(v: wp.vec3, s: float):\n    v[0] += s\n", VECTOR + "f(v, y[i])\nout[i] = v[1]"),
        ("f(v: wp.vec3, w: wp.vec3):\n    v += w\n    return v[0]\n", VECTOR + "r = f(v, v)\nout[i] = r + v[0]"),
    ],
)
def test_components(tmp_path: Path, func: str, body: str) -> None:
    check(tmp_path, source(func, body))


@pytest.mark.parametrize(
    ("func", "body"),
    [
        ("for j in range(n):\n        x = x * 2.0  # ADJ105", SCALED + "r = f(t, n, y[i])\nout[i] = r + t"),
        ("for j in range(n):\n        x += y  # ADJ105", SCALED + "r = f(t, n, y[i])\nout[i] = r + t"),
        ("for j in range(n):\n        x += 1.0", SCALED + "r = f(t, n, y[i])\nout[i] = r + t"),
        ("for j in range(n):\n        x = x * 2.0", SCALED + "s = t * 2.0\nr = f(t, n, y[i])\nout[i] = r + s"),
        ("for j in range(n):\n        x = x * 2.0", "r = f(x[i], n, y[i])\nout[i] = r + x[i]"),
        ("x = x * 2.0", SCALED + "r = f(t, n, y[i])\nout[i] = r + t"),
        ("if x > 0.0:\n        x = x * 2.0", SCALED + "r = f(t, n, y[i])\nout[i] = r + t"),
    ],
)
def test_loops(tmp_path: Path, func: str, body: str) -> None:
    check(tmp_path, source(f"f(x: float, n: int, y: float):\n    {func}\n    return x\n", body))
