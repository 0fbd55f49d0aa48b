"""A hopping leg: one body on a spring leg over soft ground, a short push-off with friction and a saturating motor.

Prints the gradient of the landing error with respect to the motor gains and to the ground's properties, by the tape
and by central differences.
"""

import numpy as np
import warp as wp

wp.config.quiet = True

GRAVITY = wp.constant(wp.vec3d(0.0, 0.0, -9.81))
DT = wp.constant(wp.float64(0.01))


@wp.struct
class Ground:
    stiffness: wp.float64
    friction: wp.float64
    height: wp.float64


@wp.struct
class Contact:
    normal: wp.vec3d
    force: wp.vec3d
    depth: wp.float64


@wp.func
def smooth_step(x: wp.float64):
    """0 below zero, 1 above one."""
    t = wp.clamp(x, wp.float64(0.0), wp.float64(1.0))
    return t * t * (wp.float64(3.0) - wp.float64(2.0) * t)


@wp.func
def tangential(v: wp.vec3d, n: wp.vec3d):
    return v - wp.dot(v, n) * n


@wp.func
def make_contact(x: wp.vec3d, v: wp.vec3d, stiffness: wp.float64, friction: wp.float64, height: wp.float64):
    c = Contact()
    c.normal = wp.vec3d(0.0, 0.0, 1.0)
    c.depth = height - x[2]
    if c.depth > wp.float64(0.0):
        push = stiffness * c.depth * smooth_step(c.depth * wp.float64(20.0))
        slip = tangential(v, c.normal)
        drag = -friction * push * slip / wp.sqrt(wp.length_sq(slip) + wp.float64(1.0e-4))
        c.force = wp.vec3d(drag[0], drag[1], push)
    return c


@wp.kernel
def motor(gain: wp.array(dtype=wp.float64), phase: wp.array(dtype=wp.float64), torque: wp.array(dtype=wp.float64)):
    leg = wp.tid()
    torque[leg] = gain[0] * wp.sin(phase[leg]) + gain[1] * wp.cos(phase[leg])


@wp.kernel
def saturate(torque: wp.array(dtype=wp.float64), limit: wp.float64, applied: wp.array(dtype=wp.float64)):
    leg = wp.tid()
    applied[leg] = limit * wp.tanh(torque[leg] / limit)


@wp.kernel
def push_off(
    x: wp.array(dtype=wp.vec3d),
    v: wp.array(dtype=wp.vec3d),
    applied: wp.array(dtype=wp.float64),
    ground: wp.array(dtype=wp.float64),
    x_out: wp.array(dtype=wp.vec3d),
    v_out: wp.array(dtype=wp.vec3d),
):
    leg = wp.tid()
    p = x[leg]
    w = v[leg]
    contact = make_contact(p, w, ground[0], ground[1], ground[2])
    w_free = w + DT * GRAVITY + DT * contact.force
    w_new = wp.vec3d(w_free[0] + DT * applied[leg], wp.float64(0.5) * w_free[1], w_free[2])
    v_out[leg] = w_new
    x_out[leg] = p + DT * w_new


@wp.kernel
def landing(x: wp.array(dtype=wp.vec3d), v: wp.array(dtype=wp.vec3d), goal: wp.vec3d, loss: wp.array(dtype=wp.float64)):
    leg = wp.tid()
    touch_down = x[leg] + wp.float64(0.2) * v[leg]
    wp.atomic_add(loss, 0, wp.length_sq(touch_down - goal))


def hop(gain, ground, steps=6):
    """Landing error of two legs after a few steps; gain: shape (2,), ground: stiffness, friction, height."""
    phase = wp.array([0.4, 1.1], dtype=wp.float64)
    torque = wp.zeros(2, dtype=wp.float64, requires_grad=True)
    applied = wp.zeros(2, dtype=wp.float64, requires_grad=True)
    wp.launch(motor, dim=2, inputs=[gain, phase], outputs=[torque])
    wp.launch(saturate, dim=2, inputs=[torque, 6.0], outputs=[applied])

    x = wp.array([[0.0, 0.0, 0.02], [0.5, 0.0, 0.04]], dtype=wp.vec3d, requires_grad=True)
    v = wp.array([[0.6, 0.1, -0.3], [0.2, -0.4, -0.1]], dtype=wp.vec3d, requires_grad=True)
    for _ in range(steps):
        x_next = wp.zeros_like(x)
        v_next = wp.zeros_like(v)
        wp.launch(push_off, dim=2, inputs=[x, v, applied, ground], outputs=[x_next, v_next])
        x, v = x_next, v_next

    loss = wp.zeros(1, dtype=wp.float64, requires_grad=True)
    wp.launch(landing, dim=2, inputs=[x, v, wp.vec3d(1.0, 0.2, 0.1)], outputs=[loss])
    return loss


def value(gain, ground):
    return hop(wp.array(gain, dtype=wp.float64), wp.array(ground, dtype=wp.float64)).numpy()[0]


def central_difference(f, x, h=1e-6):
    return np.array([(f(x + h * e) - f(x - h * e)) / (2.0 * h) for e in np.eye(len(x))])


def main():
    gain0 = np.array([4.0, 3.0])
    ground0 = np.array([300.0, 0.6, 0.1])

    gain = wp.array(gain0, dtype=wp.float64, requires_grad=True)
    ground = wp.array(ground0, dtype=wp.float64, requires_grad=True)
    tape = wp.Tape()
    with tape:
        loss = hop(gain, ground)
    tape.backward(loss)

    print("AD gain =", gain.grad.numpy().round(7).tolist())
    print("FD gain =", central_difference(lambda g: value(g, ground0), gain0).round(7).tolist())
    print("AD ground =", ground.grad.numpy().round(7).tolist())
    print("FD ground =", central_difference(lambda g: value(gain0, g), ground0).round(7).tolist())


if __name__ == "__main__":
    main()
