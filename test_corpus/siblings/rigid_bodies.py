import numpy as np
import warp as wp


@wp.struct
class RigidState:
    pos: wp.array[wp.vec3]
    rot: wp.array[wp.quat]
    vel: wp.array[wp.vec3]
    omega: wp.array[wp.vec3]


@wp.kernel
def integrate_bodies(s: RigidState, torque: wp.array[wp.vec3], inv_inertia: wp.array[float], dt: float, out: RigidState):
    i = wp.tid()
    w = s.omega[i] + torque[i] * (inv_inertia[i] * dt)
    w = wp.vec3(w[0], w[1], 0.9 * w[2])
    q = s.rot[i]
    dq = wp.quat(w[0], w[1], w[2], 0.0) * q
    qn = wp.normalize(q + dq * (0.5 * dt))
    out.omega[i] = w
    out.rot[i] = qn
    out.vel[i] = s.vel[i]
    out.pos[i] = s.pos[i] + s.vel[i] * dt


@wp.kernel
def aim(s: RigidState, target: wp.vec3, loss: wp.array[float]):
    i = wp.tid()
    tip = s.pos[i] + wp.quat_rotate(s.rot[i], wp.vec3(0.0, 1.0, 0.0))
    d = tip - target
    wp.atomic_add(loss, 0, wp.dot(d, d))


def make_state(n, grad=True):
    s = RigidState()
    s.pos = wp.zeros(n, dtype=wp.vec3, requires_grad=grad)
    s.rot = wp.array(np.tile([0.0, 0.0, 0.0, 1.0], (n, 1)), dtype=wp.quat, requires_grad=grad)
    s.vel = wp.array(np.tile([0.1, 0.0, 0.2], (n, 1)), dtype=wp.vec3, requires_grad=grad)
    s.omega = wp.zeros(n, dtype=wp.vec3, requires_grad=grad)
    return s


def main():
    n = 2
    steps = 5
    torque = wp.array([[0.5, 0.1, 1.0], [0.2, -0.4, 0.3]], dtype=wp.vec3, requires_grad=True)
    inv_inertia = wp.array([1.5, 0.7], dtype=float, requires_grad=True)
    loss = wp.zeros(1, dtype=float, requires_grad=True)
    count = steps + 1
    states = [make_state(n) for _ in range(count)]
    states = (states * (steps + 1))[: steps + 1]
    tape = wp.Tape()
    with tape:
        for k in range(steps):
            wp.launch(integrate_bodies, dim=n, inputs=[states[k], torque, inv_inertia, 0.2], outputs=[states[k + 1]])
        wp.launch(aim, dim=n, inputs=[states[steps], wp.vec3(0.3, 0.8, 0.1)], outputs=[loss])
    tape.backward(loss)
    print("torque.grad:", torque.grad.numpy())
    print("inv_inertia.grad:", inv_inertia.grad.numpy())


if __name__ == "__main__":
    main()
