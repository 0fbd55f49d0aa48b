"""Which members of a struct a kernel can touch."""

from __future__ import annotations

from typing import Any

import pytest

pytest.importorskip("warp")

import warp as wp

from warp_lint.confirm.live.fields import touches


@wp.struct
class Inner:
    x: wp.array(dtype=float)
    y: wp.array(dtype=float)


@wp.struct
class Outer:
    a: Inner
    b: Inner
    f: wp.array(dtype=float)
    g: wp.array(dtype=float)


@wp.func
def reads_y(s: Inner, i: int) -> float:
    return s.y[i]


@wp.func
def reads_through(s: Outer, i: int) -> float:
    return reads_y(s.b, i)


@wp.func_native("return s.x[i];")
def native(s: Inner, i: int) -> float: ...


@wp.kernel
def named(s: Outer, out: wp.array(dtype=float)):
    i = wp.tid()
    out[i] = s.f[i] + s.a.x[i]


@wp.kernel
def through(s: Outer, out: wp.array(dtype=float)):
    i = wp.tid()
    out[i] = reads_through(s, i)


@wp.kernel
def copied(s: Outer, out: wp.array(dtype=float)):
    i = wp.tid()
    t = s.a
    out[i] = t.x[i]


@wp.kernel
def by_native(s: Outer, out: wp.array(dtype=float)):
    i = wp.tid()
    out[i] = native(s.a, i)


MEMBERS = ["a.x", "a.y", "b.x", "b.y", "f", "g"]


@pytest.mark.parametrize(
    ("kernel", "touched"),
    [(named, "a.x f"), (through, "b.y"), (copied, "a.x a.y"), (by_native, "a.x a.y")],
    ids=["named", "through", "copied", "native"],
)
def test_members(kernel: Any, touched: str) -> None:
    assert [m for m in MEMBERS if touches(kernel, ("s", *m.split(".")))] == touched.split()
    assert touches(kernel, ("out",))
