"""Particle-in-cell transfers of a small material point method, in two dimensions."""

import warp as wp

Vec2 = wp.vec2d
Mat2 = wp.mat22d
Real = wp.float64


@wp.func
def hat(x: Real):
    """Quadratic B-spline."""
    a = wp.abs(x)
    if a < Real(0.5):
        return Real(0.75) - a * a
    if a < Real(1.5):
        return Real(0.5) * (Real(1.5) - a) * (Real(1.5) - a)
    return Real(0.0)


@wp.func
def weight(p: Vec2, i: int, j: int):
    return hat(p[0] - Real(i)) * hat(p[1] - Real(j))


@wp.func
def corner(p: Vec2):
    """Lowest grid node that a particle at p (in cells) touches."""
    return wp.vec2i(int(p[0] - Real(0.5)), int(p[1] - Real(0.5)))


@wp.kernel
def stress(F: wp.array(dtype=Mat2), young: wp.array(dtype=Real), P: wp.array(dtype=Mat2)):
    """Neo-Hookean-like first Piola stress, without the logarithm."""
    p = wp.tid()
    f = F[p]
    J = wp.determinant(f)
    P[p] = young[0] * (f - wp.transpose(wp.inverse(f))) + young[0] * (J - Real(1.0)) * J * wp.transpose(wp.inverse(f))


@wp.kernel
def to_grid(
    x: wp.array(dtype=Vec2),
    v: wp.array(dtype=Vec2),
    C: wp.array(dtype=Mat2),
    F: wp.array(dtype=Mat2),
    P: wp.array(dtype=Mat2),
    dt: Real,
    mass: wp.array2d(dtype=Real),
    momentum: wp.array2d(dtype=Vec2),
):
    p = wp.tid()
    base = corner(x[p])
    affine = C[p] - Real(4.0) * dt * P[p] * wp.transpose(F[p])
    for a in range(3):
        for b in range(3):
            i = base[0] + a
            j = base[1] + b
            w = weight(x[p], i, j)
            d = Vec2(Real(i), Real(j)) - x[p]
            wp.atomic_add(mass, i, j, w)
            wp.atomic_add(momentum, i, j, w * (v[p] + affine * d))


@wp.kernel
def grid_velocity(
    mass: wp.array2d(dtype=Real),
    momentum: wp.array2d(dtype=Vec2),
    gravity: Real,
    floor_friction: wp.array(dtype=Real),
    dt: Real,
    velocity: wp.array2d(dtype=Vec2),
):
    i, j = wp.tid()
    m = mass[i, j]
    if m > Real(1.0e-9):
        v = momentum[i, j] / m
        if j < 3:
            v[0] = v[0] * (Real(1.0) - floor_friction[0])
            v[1] = wp.max(v[1], Real(0.0))
        else:
            v[1] = v[1] - dt * gravity
        velocity[i, j] = v


@wp.kernel
def to_particles(
    x: wp.array(dtype=Vec2),
    F: wp.array(dtype=Mat2),
    velocity: wp.array2d(dtype=Vec2),
    dt: Real,
    x_new: wp.array(dtype=Vec2),
    v_new: wp.array(dtype=Vec2),
    C_new: wp.array(dtype=Mat2),
    F_new: wp.array(dtype=Mat2),
):
    p = wp.tid()
    base = corner(x[p])
    v = Vec2(Real(0.0), Real(0.0))
    C = Mat2(Real(0.0), Real(0.0), Real(0.0), Real(0.0))
    for a in range(3):
        for b in range(3):
            i = base[0] + a
            j = base[1] + b
            w = weight(x[p], i, j)
            g = velocity[i, j]
            v += w * g
            C += Real(4.0) * w * wp.outer(g, Vec2(Real(i), Real(j)) - x[p])
    v_new[p] = v
    x_new[p] = x[p] + dt * v
    C_new[p] = C
    F_new[p] = F[p] + dt * C * F[p]


@wp.kernel
def miss(x: wp.array(dtype=Vec2), goal: Vec2, loss: wp.array(dtype=Real)):
    p = wp.tid()
    wp.atomic_add(loss, 0, wp.length_sq(x[p] - goal))
