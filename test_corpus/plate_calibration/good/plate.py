"""A heated plate: sources, a nonlinear conductivity, and thermocouples that average over a few cells."""

import warp as wp

Field = wp.array(dtype=wp.float64)


@wp.func
def conductivity(t: wp.float64, k: wp.float64):
    return k * (wp.float64(1.0) + wp.float64(0.3) * t * t)


@wp.kernel
def flux(t: Field, k: Field, q: Field):
    """Heat flux between neighbouring cells; q[i] from i to i + 1."""
    i = wp.tid()
    middle = wp.float64(0.5) * (t[i] + t[i + 1])
    q[i] = conductivity(middle, k[0]) * (t[i] - t[i + 1])


@wp.kernel
def heat(t: Field, q: Field, source: Field, loss_rate: Field, dt: wp.float64, t_next: Field):
    i = wp.tid()
    n = t.shape[0]
    gain = source[i] - loss_rate[0] * t[i] * wp.abs(t[i])
    if i > 0:
        gain += q[i - 1]
    if i < n - 1:
        gain -= q[i]
    t_next[i] = t[i] + dt * gain


@wp.kernel
def average(t: Field, out: Field):
    i = wp.tid()
    n = t.shape[0]
    out[i] = (t[wp.max(i - 1, 0)] + t[i] + t[wp.min(i + 1, n - 1)]) / wp.float64(3.0)


@wp.kernel
def read_couple(averaged: Field, cells: wp.array(dtype=int), offset: wp.float64, reading: Field):
    c = wp.tid()
    reading[c] += averaged[cells[c]] + offset


@wp.kernel
def clear(t: Field):
    t[wp.tid()] = wp.float64(0.0)
