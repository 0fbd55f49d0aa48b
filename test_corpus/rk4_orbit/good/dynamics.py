"""Planar three-body dynamics with thrust, for many probes at once."""

import warp as wp


@wp.func
def pull(at: wp.vec2d, centre: wp.vec2d, mu: wp.float64):
    d = centre - at
    r2 = wp.length_sq(d) + wp.float64(0.01)
    return mu * d / (r2 * wp.sqrt(r2))


@wp.kernel
def derivative(
    state: wp.array(dtype=wp.vec4d),
    thrust: wp.array(dtype=wp.vec2d),
    mu: wp.array(dtype=wp.float64),
    rate: wp.array(dtype=wp.vec4d),
):
    probe = wp.tid()
    s = state[probe]
    at = wp.vec2d(s[0], s[1])
    a = pull(at, wp.vec2d(wp.float64(0.0), wp.float64(0.0)), mu[0])
    a += pull(at, wp.vec2d(wp.float64(1.5), wp.float64(0.3)), mu[1])
    a += thrust[probe]
    rate[probe] = wp.vec4d(s[2], s[3], a[0], a[1])


@wp.kernel
def offset(
    state: wp.array(dtype=wp.vec4d), rate: wp.array(dtype=wp.vec4d), h: wp.float64, moved: wp.array(dtype=wp.vec4d)
):
    probe = wp.tid()
    moved[probe] = state[probe] + h * rate[probe]


@wp.kernel
def combine(
    state: wp.array(dtype=wp.vec4d),
    k1: wp.array(dtype=wp.vec4d),
    k2: wp.array(dtype=wp.vec4d),
    k3: wp.array(dtype=wp.vec4d),
    k4: wp.array(dtype=wp.vec4d),
    h: wp.float64,
    result: wp.array(dtype=wp.vec4d),
):
    probe = wp.tid()
    two = wp.float64(2.0)
    result[probe] = state[probe] + h / wp.float64(6.0) * (k1[probe] + two * k2[probe] + two * k3[probe] + k4[probe])


@wp.kernel
def arrival(state: wp.array(dtype=wp.vec4d), goal: wp.vec2d, loss: wp.array(dtype=wp.float64)):
    probe = wp.tid()
    s = state[probe]
    wp.atomic_add(loss, 0, wp.length_sq(wp.vec2d(s[0], s[1]) - goal))
