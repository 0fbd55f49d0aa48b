"""Forces and integration."""

import warp as wp

Vec3 = wp.vec3d
Real = wp.float64


@wp.func
def stretch(d: Vec3, rest: Real, k: Real):
    """Force on the first of two particles at distance d."""
    length = wp.length(d)
    return -k * (length - rest) * d / length


@wp.kernel
def spring_forces(
    x: wp.array(dtype=Vec3),
    v: wp.array(dtype=Vec3),
    edges: wp.array2d(dtype=int),
    rest: wp.array(dtype=Real),
    stiffness: wp.array(dtype=Real),
    damping: Real,
    f: wp.array(dtype=Vec3),
):
    e = wp.tid()
    i = edges[e, 0]
    j = edges[e, 1]
    d = x[i] - x[j]
    pull = stretch(d, rest[e], stiffness[e]) - damping * (v[i] - v[j])
    wp.atomic_add(f, i, pull)
    wp.atomic_sub(f, j, pull)


@wp.kernel
def wind_forces(v: wp.array(dtype=Vec3), wind: wp.array(dtype=Vec3), drag: Real, f: wp.array(dtype=Vec3)):
    i = wp.tid()
    rel = wind[0] - v[i]
    wp.atomic_add(f, i, drag * wp.length(rel) * rel)


@wp.kernel
def invert_masses(mass: wp.array(dtype=Real), inv_mass: wp.array(dtype=Real)):
    i = wp.tid()
    m = mass[i]
    if m > Real(0.0):
        inv_mass[i] = Real(1.0) / m


@wp.kernel
def integrate(
    x: wp.array(dtype=Vec3),
    v: wp.array(dtype=Vec3),
    f: wp.array(dtype=Vec3),
    inv_mass: wp.array(dtype=Real),
    gravity: Vec3,
    dt: Real,
    x_new: wp.array(dtype=Vec3),
    v_new: wp.array(dtype=Vec3),
):
    i = wp.tid()
    v1 = v[i]
    if inv_mass[i] > Real(0.0):
        v1 = v[i] + dt * (f[i] * inv_mass[i] + gravity)
    v_new[i] = v1
    x_new[i] = x[i] + dt * v1


@wp.kernel
def distance_to(x: wp.array(dtype=Vec3), target: wp.array(dtype=Vec3), loss: wp.array(dtype=Real)):
    i = wp.tid()
    wp.atomic_add(loss, 0, wp.length_sq(x[i] - target[i]))
