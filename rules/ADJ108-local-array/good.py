"""Lift curve: the powers of the angle of attack are kept in a local vector."""

import numpy as np
import warp as wp


@wp.kernel
def lift(angle: wp.array(dtype=wp.float64), coefficient: wp.array(dtype=wp.float64), force: wp.array(dtype=wp.float64)):
    i = wp.tid()
    power = wp.vec3d(angle[i], angle[i] * angle[i], angle[i] * angle[i] * angle[i])
    force[i] = coefficient[0] * power[0] + coefficient[1] * power[1] + coefficient[2] * power[2]


@wp.kernel
def imbalance(force: wp.array(dtype=wp.float64), loss: wp.array(dtype=wp.float64)):
    i = wp.tid()
    wp.atomic_add(loss, 0, force[i] * force[i])


def loss_of(coefficients):
    angle = wp.array([0.1, 0.4, 0.8], dtype=wp.float64)
    coefficient = wp.array(coefficients, dtype=wp.float64, requires_grad=True)
    force = wp.zeros(3, dtype=wp.float64, requires_grad=True)
    loss = wp.zeros(1, dtype=wp.float64, requires_grad=True)
    wp.launch(lift, dim=3, inputs=[angle, coefficient], outputs=[force])
    wp.launch(imbalance, dim=3, inputs=[force], outputs=[loss])
    return coefficient, loss


if __name__ == "__main__":
    x, h = np.array([2.0, -0.5, -1.0]), 1e-6
    tape = wp.Tape()
    with tape:
        coefficient, loss = loss_of(x)
    tape.backward(loss)
    print("AD =", coefficient.grad.numpy().round(6).tolist())

    fd = [(loss_of(x + e)[1].numpy()[0] - loss_of(x - e)[1].numpy()[0]) / (2.0 * h) for e in h * np.eye(3)]
    print("FD =", np.round(fd, 6).tolist())
