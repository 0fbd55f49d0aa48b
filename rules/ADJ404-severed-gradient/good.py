"""A catenary: the forces between the parameters and the loss are kept in an array with a gradient."""

import numpy as np
import warp as wp


@wp.kernel
def cable_force(stiffness: wp.array(dtype=wp.float64), sag: wp.array(dtype=wp.float64), force: wp.array(dtype=wp.float64)):
    i = wp.tid()
    force[i] = stiffness[i] * sag[i]


@wp.kernel
def deflection(force: wp.array(dtype=wp.float64), loss: wp.array(dtype=wp.float64)):
    i = wp.tid()
    wp.atomic_add(loss, 0, force[i] * force[i])


def hang(stiffness):
    n = stiffness.shape[0]
    sag = wp.array(np.linspace(0.5, 1.0, n), dtype=wp.float64)
    force = wp.zeros(n, dtype=wp.float64, requires_grad=True)
    loss = wp.zeros(1, dtype=wp.float64, requires_grad=True)
    wp.launch(cable_force, dim=n, inputs=[stiffness, sag], outputs=[force])
    wp.launch(deflection, dim=n, inputs=[force], outputs=[loss])
    return loss


def main():
    x, h = np.array([1.0, 2.0, 3.0]), 1e-6
    stiffness = wp.array(x, dtype=wp.float64, requires_grad=True)
    tape = wp.Tape()
    with tape:
        loss = hang(stiffness)
    tape.backward(loss)
    print("AD =", stiffness.grad.numpy().round(6).tolist())

    def value(values):
        return hang(wp.array(values, dtype=wp.float64)).numpy()[0]

    print("FD =", np.round([(value(x + e) - value(x - e)) / (2.0 * h) for e in h * np.eye(3)], 6).tolist())


if __name__ == "__main__":
    main()
