"""Attitude of a small satellite: quaternions, reaction wheels, a magnetic field model. Generic over precision."""

from typing import Any

import warp
from warp import float64, quatd, vec3d

Vectors = warp.array(dtype=vec3d)
Scalars = warp.array(dtype=float64)


@warp.func
def lerp(a: Any, b: Any, t: float64):
    return a + (b - a) * t


@warp.func
def dipole(at: vec3d, moment: vec3d):
    """Field of a dipole in the origin."""
    r2 = warp.length_sq(at) + float64(0.01)
    r = warp.sqrt(r2)
    return (float64(3.0) * warp.dot(moment, at) / r2 * at - moment) / (r2 * r)


@warp.func
def rotate(q: quatd, omega: vec3d, dt: float64):
    """First-order update of an attitude, normalised."""
    half = float64(0.5) * dt
    dq = q * quatd(half * omega[0], half * omega[1], half * omega[2], float64(1.0))
    size = warp.sqrt(warp.dot(dq, dq) + float64(1.0e-12))
    for k in range(4):
        dq[k] = dq[k] / size
    return dq


@warp.func
def wheel_torque(omega: vec3d, gain: float64, bias: vec3d):
    scaled = warp.zeros(shape=(3,), dtype=float64)
    for k in range(3):
        scaled[k] = gain * omega[k]
    limited = vec3d(
        warp.tanh(scaled[0]) + bias[0], warp.tanh(scaled[1]) + bias[1], warp.tanh(scaled[2]) + bias[2]
    )
    return -limited


@warp.func
def series(x: float64, terms: int):
    """Truncated exponential; the power is carried from term to term in an array-free, unrolled way."""
    total = float64(1.0)
    power = float64(1.0)
    for k in range(1, terms):
        power = power * x / float64(k)
        total += power
    return total


@warp.kernel
def spin(
    q: warp.array(dtype=quatd),
    omega: Vectors,
    gain: Scalars,
    bias: Vectors,
    moment: vec3d,
    dt: float64,
    q_out: warp.array(dtype=quatd),
    omega_out: Vectors,
):
    s = warp.tid()
    field = warp.quat_rotate_inv(q[s], dipole(vec3d(float64(1.0), float64(0.5), float64(0.2)), moment))
    torque = wheel_torque(omega[s], gain[0], bias[s]) + float64(0.3) * warp.cross(omega[s], field)
    w = omega[s] + dt * torque
    omega_out[s] = w
    q_out[s] = rotate(q[s], w, dt)


@warp.kernel
def pointing_error(
    q: warp.array(dtype=quatd),
    target: vec3d,
    weights: Scalars,
    terms: int,
    loss: Scalars,
):
    s = warp.tid()
    axis = warp.quat_rotate(q[s], vec3d(float64(1.0), float64(0.0), float64(0.0)))
    miss = lerp(axis, target, float64(-1.0)) - target
    cost = series(warp.length_sq(miss) * weights[s], terms)
    warp.atomic_add(loss, 0, cost)
