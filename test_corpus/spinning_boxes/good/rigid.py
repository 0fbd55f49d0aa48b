"""Rigid boxes: poses as transforms, twists as spatial vectors, penalty contacts of the corners with a plane."""

import warp as wp


@wp.struct
class BodyState:
    """Poses and velocities of all bodies at one time."""

    position: wp.array(dtype=wp.vec3d)
    rotation: wp.array(dtype=wp.quatd)
    linear: wp.array(dtype=wp.vec3d)
    angular: wp.array(dtype=wp.vec3d)


@wp.struct
class Material:
    stiffness: wp.float64
    friction: wp.float64


def make_state(n: int) -> BodyState:
    s = BodyState()
    s.position = wp.zeros(n, dtype=wp.vec3d, requires_grad=True)
    s.rotation = wp.zeros(n, dtype=wp.quatd, requires_grad=True)
    s.linear = wp.zeros(n, dtype=wp.vec3d, requires_grad=True)
    s.angular = wp.zeros(n, dtype=wp.vec3d, requires_grad=True)
    return s


@wp.func
def corner(k: int, half: wp.vec3d):
    sx = wp.float64(k % 2) * wp.float64(2.0) - wp.float64(1.0)
    sy = wp.float64((k / 2) % 2) * wp.float64(2.0) - wp.float64(1.0)
    sz = wp.float64(k / 4) * wp.float64(2.0) - wp.float64(1.0)
    return wp.vec3d(sx * half[0], sy * half[1], sz * half[2])


@wp.func
def contact_force(depth: wp.float64, velocity: wp.vec3d, material: Material, scale: wp.float64):
    """Smooth penalty force on a point that is `depth` below the plane z = 0."""
    penetration = wp.float64(0.02) * wp.log(wp.float64(1.0) + wp.exp(depth * wp.float64(50.0)))
    push = scale * material.stiffness * penetration
    slip = wp.vec3d(velocity[0], velocity[1], wp.float64(0.0))
    return wp.vec3d(wp.float64(0.0), wp.float64(0.0), push) - material.friction * push * slip


@wp.kernel
def corner_forces(
    s: BodyState,
    half: wp.vec3d,
    material: Material,
    scale: wp.array(dtype=wp.float64),
    force: wp.array(dtype=wp.vec3d),
    torque: wp.array(dtype=wp.vec3d),
):
    body, k = wp.tid()
    r = wp.quat_rotate(s.rotation[body], corner(k, half))
    p = s.position[body] + r
    v = s.linear[body] + wp.cross(s.angular[body], r)
    f = contact_force(-p[2], v, material, scale[body])
    wp.atomic_add(force, body, f)
    wp.atomic_add(torque, body, wp.cross(r, f))


@wp.kernel
def integrate(
    s: BodyState,
    force: wp.array(dtype=wp.vec3d),
    torque: wp.array(dtype=wp.vec3d),
    inv_mass: wp.float64,
    inv_inertia: wp.float64,
    dt: wp.float64,
    out: BodyState,
):
    b = wp.tid()
    gravity = wp.vec3d(wp.float64(0.0), wp.float64(0.0), wp.float64(-9.81))
    v = s.linear[b] + dt * (inv_mass * force[b] + gravity)
    w = s.angular[b] + dt * inv_inertia * torque[b]
    q = s.rotation[b]
    spin = wp.quatd(w[0], w[1], w[2], wp.float64(0.0)) * q
    out.linear[b] = v
    out.angular[b] = w
    out.position[b] = s.position[b] + dt * v
    out.rotation[b] = wp.normalize(q + wp.float64(0.5) * dt * spin)


@wp.kernel
def upright(s: BodyState, weight: wp.float64, loss: wp.array(dtype=wp.float64)):
    b = wp.tid()
    up = wp.quat_rotate(s.rotation[b], wp.vec3d(wp.float64(0.0), wp.float64(0.0), wp.float64(1.0)))
    tilt = wp.float64(1.0) - up[2]
    wp.atomic_add(loss, 0, tilt + weight * wp.length_sq(s.position[b]))
