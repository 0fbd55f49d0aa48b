"""Flight of a glider with a wing of a few panels, in the vertical plane."""

import warp as wp

DENSITY = wp.constant(wp.float64(1.2))


@wp.func
def lift_coefficient(alpha: wp.float64, camber: wp.float64):
    """Smooth stall."""
    a = alpha + camber
    return wp.float64(5.0) * a / (wp.float64(1.0) + wp.float64(40.0) * a * a * a * a)


@wp.kernel
def panel_forces(
    camber: wp.array(dtype=wp.float64),
    area: wp.array(dtype=wp.float64),
    velocity: wp.array(dtype=wp.vec2d),
    step: int,
    force: wp.array(dtype=wp.vec2d),
):
    panel = wp.tid()
    v = velocity[step]
    speed = wp.length(v)
    alpha = wp.atan2(-v[1], v[0])
    cl = lift_coefficient(alpha, camber[panel])
    cd = wp.float64(0.02) + wp.float64(0.05) * cl * cl
    q = wp.float64(0.5) * DENSITY * area[panel]
    lift = wp.vec2d(-v[1], v[0]) * (q * cl * speed)
    drag = v * (-q * cd * speed)
    wp.atomic_add(force, step, lift + drag)


@wp.kernel
def fly(
    force: wp.array(dtype=wp.vec2d),
    mass: wp.float64,
    dt: wp.float64,
    step: int,
    position: wp.array(dtype=wp.vec2d),
    velocity: wp.array(dtype=wp.vec2d),
):
    g = wp.vec2d(wp.float64(0.0), wp.float64(-9.81))
    v = velocity[step] + dt * (force[step] / mass + g)
    velocity[step + 1] = v
    position[step + 1] = position[step] + dt * v


@wp.kernel
def range_loss(position: wp.array(dtype=wp.vec2d), last: int, loss: wp.array(dtype=wp.float64)):
    p = position[last]
    wp.atomic_sub(loss, 0, p[0] + wp.float64(0.5) * p[1])


@wp.kernel
def roughness(camber: wp.array(dtype=wp.float64), weight: wp.float64, loss: wp.array(dtype=wp.float64)):
    i = wp.tid()
    d = camber[i + 1] - camber[i]
    wp.atomic_add(loss, 0, weight * d * d)


@wp.kernel
def descend(gradient: wp.array(dtype=wp.float64), rate: wp.float64, camber: wp.array(dtype=wp.float64)):
    i = wp.tid()
    camber[i] = camber[i] - rate * gradient[i]
