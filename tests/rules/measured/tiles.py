"""Tiles: stored over what was loaded, changed by funcs and through views."""

# ruff: noqa
from typing import Any

import warp as wp


F = wp.float64
A = wp.array(dtype=wp.float64)
A2 = wp.array2d(dtype=wp.float64)
TILED = 32
T = wp.constant(6)
H = wp.constant(3)
INTS = {"n": 4}


@wp.func
def addt(x: Any, y: Any):
    return x + y


@wp.func
def bump(x: Any, y: Any):
    x += y  # ADJ104


@wp.func
def bump_ret(x: Any, y: Any):
    x += y  # ADJ104
    return x


@wp.kernel
def t_store_after_use(a: A, b: A, o: A):
    x = wp.tile_load(a, shape=T)
    wp.tile_store(o, x * x)
    y = wp.tile_load(b, shape=T)
    wp.tile_store(a, y)  # ADJ103


@wp.kernel
def t_halves_over(a: A, o: A):
    x = wp.tile_load(a, shape=H, offset=0)
    y = wp.tile_load(a, shape=H, offset=3)
    wp.tile_store(o, x * y, offset=0)
    wp.tile_store(a, y, offset=3)


@wp.kernel
def t_halves_over_first(a: A, o: A):
    x = wp.tile_load(a, shape=H, offset=0)
    y = wp.tile_load(a, shape=H, offset=3)
    wp.tile_store(o, x * y, offset=0)
    wp.tile_store(a, y, offset=0)  # ADJ103


@wp.kernel
def t_halves_over_unneeded(a: A, o: A):
    x = wp.tile_load(a, shape=H, offset=0)
    y = wp.tile_load(a, shape=H, offset=3)
    wp.tile_store(o, x * x, offset=0)
    wp.tile_store(a, x, offset=3)


@wp.kernel
def t_func_bump_before(a: A, b: A, o: A):
    x = wp.tile_load(a, shape=T)
    y = wp.tile_load(b, shape=T)
    bump(x, y)
    wp.tile_store(o, x * x)


@wp.kernel
def t_func_bump_after(a: A, b: A, o: A):
    x = wp.tile_load(a, shape=T)
    y = wp.tile_load(b, shape=T)
    z = x * y
    bump(x, y)
    wp.tile_store(o, z + x)


@wp.kernel
def t_func_bump_lin(a: A, b: A, o: A):
    x = wp.tile_load(a, shape=T)
    y = wp.tile_load(b, shape=T)
    z = x * F(2.0)
    bump(x, y)
    wp.tile_store(o, z + x)


@wp.kernel
def t_func_bump_ret(a: A, b: A, o: A):
    x = wp.tile_load(a, shape=T)
    y = wp.tile_load(b, shape=T)
    z = x * x
    w = bump_ret(x, y)
    wp.tile_store(o, z + w)


@wp.kernel
def t_func_add(a: A, b: A, o: A):
    x = wp.tile_load(a, shape=T)
    y = wp.tile_load(b, shape=T)
    z = x * x
    w = addt(x, y)
    wp.tile_store(o, z * w)


@wp.kernel
def t_func_bump_loop(a: A, b: A, o: A, n: int):
    x = wp.tile_zeros(shape=T, dtype=wp.float64)
    for j in range(n):
        y = wp.tile_load(b, shape=T)
        bump(x, y)
    wp.tile_store(o, x)


@wp.kernel
def t_func_bump_loop_sq(a: A, b: A, o: A, n: int):
    x = wp.tile_zeros(shape=T, dtype=wp.float64)
    for j in range(n):
        y = wp.tile_load(b, shape=T)
        bump(x, y)  # ADJ106
    wp.tile_store(o, x * x)


@wp.kernel
def t_view_iadd_after(a: A, b: A, o: A):
    x = wp.tile_load(a, shape=T)
    y = wp.tile_load(b, shape=H)
    z = x * x
    v = wp.tile_view(x, offset=(1,), shape=(H,))
    v += y  # ADJ104
    wp.tile_store(o, z + x)


@wp.kernel
def t_view_iadd_before(a: A, b: A, o: A):
    x = wp.tile_load(a, shape=T)
    y = wp.tile_load(b, shape=H)
    v = wp.tile_view(x, offset=(1,), shape=(H,))
    v += y
    wp.tile_store(o, x * x)


@wp.kernel
def t_assign_before(a: A, b: A, o: A):
    x = wp.tile_load(a, shape=T)
    y = wp.tile_load(b, shape=H)
    wp.tile_assign(x, y, offset=(2,))
    wp.tile_store(o, x * x)


@wp.kernel
def t_assign_after(a: A, b: A, o: A):
    x = wp.tile_load(a, shape=T)
    y = wp.tile_load(b, shape=H)
    z = x * x
    wp.tile_assign(x, y, offset=(2,))  # ADJ104
    wp.tile_store(o, z + x)


@wp.kernel
def t_loop_rebind(a: A2, o: A, n: int):
    s = wp.tile_ones(shape=T, dtype=wp.float64)
    for j in range(n):
        r = wp.tile_load(a[j], shape=T)
        s = s * r  # ADJ105
    wp.tile_store(o, s)


@wp.kernel
def t_unrolled_rebind(a: A2, o: A):
    s = wp.tile_ones(shape=T, dtype=wp.float64)
    for j in range(3):
        r = wp.tile_load(a[j], shape=T)
        s = s * r
    wp.tile_store(o, s)


@wp.kernel
def t_rows_over(a: A2, o: A):
    x = wp.tile_load(a[0], shape=T)
    y = wp.tile_load(a[1], shape=T)
    wp.tile_store(o, x * y)
    wp.tile_store(a[1], x)  # ADJ103


@wp.kernel
def t_rows_over_other(a: A2, o: A):
    x = wp.tile_load(a[0], shape=T)
    y = wp.tile_load(a[1], shape=T)
    wp.tile_store(o, x * y)
    wp.tile_store(a[2], x)


@wp.kernel
def t_scalar_scale_over(a: A, b: A, o: A):
    x = wp.tile_load(a, shape=T)
    k = b[0]
    wp.tile_store(o, x * k)
    b[0] = F(1.0)  # ADJ103
