"""Thrown balls with drag; a batch is flown by one launch per step."""

import warp as wp


@wp.func
def drag(v: wp.vec2d, k: wp.float64):
    return -k * wp.length(v) * v


@wp.kernel
def fly(
    x: wp.array2d(dtype=wp.vec2d),
    v: wp.array2d(dtype=wp.vec2d),
    k: wp.array(dtype=wp.float64),
    wind: wp.array(dtype=wp.vec2d),
    dt: wp.float64,
    t: int,
):
    ball = wp.tid()
    air = v[t, ball] - wind[0]
    a = drag(air, k[0]) + wp.vec2d(wp.float64(0.0), wp.float64(-9.81))
    v[t + 1, ball] = v[t, ball] + dt * a
    x[t + 1, ball] = x[t, ball] + dt * v[t + 1, ball]


@wp.kernel
def landing_error(
    x: wp.array2d(dtype=wp.vec2d), seen: wp.array(dtype=wp.vec2d), last: int, loss: wp.array(dtype=wp.float64)
):
    ball = wp.tid()
    wp.atomic_add(loss, 0, wp.length_sq(x[last, ball] - seen[ball]))


@wp.kernel
def momentum_step(
    g: wp.array(dtype=wp.float64),
    m: wp.array(dtype=wp.float64),
    rate: wp.float64,
    p: wp.array(dtype=wp.float64),
):
    i = wp.tid()
    m[i] = wp.float64(0.9) * m[i] + g[i]
    p[i] -= rate * m[i]


@wp.kernel
def clip(limit: wp.float64, g: wp.array(dtype=wp.float64)):
    i = wp.tid()
    g[i] = wp.clamp(g[i], -limit, limit)
