"""Distance constraints of a rope by extended position based dynamics, Jacobi style with averaging."""

import warp as wp


@wp.struct
class Rope:
    """Topology and material of a rope; `compliance` is what is tuned."""

    rest: wp.array(dtype=wp.float64)
    inv_mass: wp.array(dtype=wp.float64)
    compliance: wp.array(dtype=wp.float64)


@wp.kernel
def predict(
    x: wp.array(dtype=wp.vec3d),
    v: wp.array(dtype=wp.vec3d),
    rope: Rope,
    dt: wp.float64,
    predicted: wp.array(dtype=wp.vec3d),
):
    i = wp.tid()
    g = wp.vec3d(wp.float64(0.0), wp.float64(0.0), wp.float64(-9.81))
    if rope.inv_mass[i] > wp.float64(0.0):
        predicted[i] = x[i] + dt * v[i] + dt * dt * g
    else:
        predicted[i] = x[i]


@wp.kernel
def solve_distance(
    p: wp.array(dtype=wp.vec3d),
    lam: wp.array(dtype=wp.float64),
    rope: Rope,
    dt: wp.float64,
    dlam_out: wp.array(dtype=wp.float64),
    push: wp.array(dtype=wp.vec3d),
):
    c = wp.tid()
    d = p[c + 1] - p[c]
    length = wp.length(d)
    n = wp.normalize(d)
    w = rope.inv_mass[c] + rope.inv_mass[c + 1]
    alpha = rope.compliance[c] / (dt * dt)
    dlam = -(length - rope.rest[c] + alpha * lam[c]) / (w + alpha)
    dlam_out[c] = dlam
    push[c] = dlam * n


@wp.kernel
def apply_push(
    p: wp.array(dtype=wp.vec3d),
    push: wp.array(dtype=wp.vec3d),
    rope: Rope,
    relaxed: wp.array(dtype=wp.vec3d),
):
    i = wp.tid()
    total = wp.vec3d(wp.float64(0.0), wp.float64(0.0), wp.float64(0.0))
    if i > 0:
        total += push[i - 1]
    if i < p.shape[0] - 1:
        total -= push[i]
    relaxed[i] = p[i] + wp.float64(0.5) * rope.inv_mass[i] * total


@wp.kernel
def add_multiplier(lam: wp.array(dtype=wp.float64), dlam: wp.array(dtype=wp.float64), out: wp.array(dtype=wp.float64)):
    c = wp.tid()
    out[c] = lam[c] + dlam[c]


@wp.kernel
def finish(
    x: wp.array(dtype=wp.vec3d),
    p: wp.array(dtype=wp.vec3d),
    drag: wp.array(dtype=wp.float64),
    dt: wp.float64,
    v_new: wp.array(dtype=wp.vec3d),
):
    i = wp.tid()
    v = (p[i] - x[i]) / dt
    v_new[i] = v / (wp.float64(1.0) + dt * drag[0] * wp.length(v))


@wp.kernel
def tip_error(x: wp.array(dtype=wp.vec3d), goal: wp.vec3d, loss: wp.array(dtype=wp.float64)):
    loss[0] = wp.length_sq(x[x.shape[0] - 1] - goal)
