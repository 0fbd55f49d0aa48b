"""Grains in a column: neighbours by a hash grid, a soft repulsion, an implicit-looking damping. Single precision."""

import warp as wp


@wp.func
def repulsion(d: wp.vec3, diameter: float, k: float):
    gap = diameter - wp.length(d)
    if gap <= 0.0:
        return wp.vec3()
    return k * gap * gap * wp.normalize(d)


@wp.kernel
def contact_forces(
    grid: wp.uint64,
    x: wp.array(dtype=wp.vec3),
    k: wp.array(dtype=float),
    diameter: float,
    force: wp.array(dtype=wp.vec3),
):
    i = wp.tid()
    xi = x[i]
    total = wp.vec3()
    for j in wp.hash_grid_query(grid, xi, diameter):
        if j != i:
            total += repulsion(xi - x[j], diameter, k[0])
    force[i] = total


@wp.kernel
def floor_force(x: wp.array(dtype=wp.vec3), k: wp.array(dtype=float), force: wp.array(dtype=wp.vec3)):
    i = wp.tid()
    depth = 0.1 - x[i][2]
    if depth > 0.0:
        force[i] += wp.vec3(0.0, 0.0, k[0] * depth)


@wp.kernel
def move(
    x: wp.array(dtype=wp.vec3),
    v: wp.array(dtype=wp.vec3),
    force: wp.array(dtype=wp.vec3),
    damping: wp.array(dtype=float),
    dt: float,
    x_new: wp.array(dtype=wp.vec3),
    v_new: wp.array(dtype=wp.vec3),
):
    i = wp.tid()
    u = (v[i] + dt * (force[i] + wp.vec3(0.0, 0.0, -1.0))) / (1.0 + dt * damping[0])
    v_new[i] = u
    x_new[i] = x[i] + dt * u


@wp.kernel
def runout(x: wp.array(dtype=wp.vec3), loss: wp.array(dtype=float)):
    i = wp.tid()
    p = x[i]
    wp.atomic_add(loss, 0, p[0] * p[0] + p[1] * p[1] + 0.5 * p[2] * p[2])
