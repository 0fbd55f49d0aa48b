"""Cart-pole model."""

import warp as wp

f64 = wp.float64


@wp.struct
class Params:
    cart: f64
    pole: f64
    length: f64


@wp.func
def accelerate(s: wp.vec4d, u: f64, p: Params):
    """Accelerations of cart and pole; s = (x, theta, x', theta')."""
    sin = wp.sin(s[1])
    cos = wp.cos(s[1])
    total = p.cart + p.pole
    inner = (u + p.pole * p.length * s[3] * s[3] * sin) / total
    angular = (f64(9.81) * sin - cos * inner) / (p.length * (f64(4.0 / 3.0) - p.pole * cos * cos / total))
    return wp.vec2d(inner - p.pole * p.length * angular * cos / total, angular)


@wp.kernel
def advance(
    s: wp.array(dtype=wp.vec4d),
    u: wp.array(dtype=f64),
    gain: wp.array(dtype=wp.vec4d),
    params: Params,
    dt: f64,
    t: int,
    out: wp.array(dtype=wp.vec4d),
):
    """One step under feed-forward u[t] plus state feedback."""
    x = s[0]
    command = u[t] - wp.dot(gain[0], x)
    a = accelerate(x, command, params)
    v = wp.vec2d(x[2] + dt * a[0], x[3] + dt * a[1])
    out[0] = wp.vec4d(x[0] + dt * v[0], x[1] + dt * v[1], v[0], v[1])


@wp.kernel
def stage_cost(s: wp.array(dtype=wp.vec4d), u: wp.array(dtype=f64), t: int, cost: wp.array(dtype=f64)):
    x = s[0]
    wp.atomic_add(cost, 0, x[1] * x[1] + f64(0.1) * x[0] * x[0] + f64(0.001) * u[t] * u[t])
