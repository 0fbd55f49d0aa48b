"""One semi-implicit Euler step of a row of pendulums with a new array for the new angles."""

import numpy as np
import warp as wp

DT = wp.constant(wp.float64(0.2))
GRAVITY = wp.constant(wp.float64(9.81))


@wp.kernel
def swing(
    length: wp.array(dtype=wp.float64),
    theta: wp.array(dtype=wp.float64),
    omega: wp.array(dtype=wp.float64),
    theta_next: wp.array(dtype=wp.float64),
):
    i = wp.tid()
    omega[i] += -DT * GRAVITY / length[i] * wp.sin(theta[i])
    theta_next[i] = theta[i] + DT * omega[i]


@wp.kernel
def weighted_angle(theta: wp.array(dtype=wp.float64), loss: wp.array(dtype=wp.float64)):
    i = wp.tid()
    wp.atomic_add(loss, 0, theta[i] * wp.float64(i + 1))


def swing_once(theta0, length):
    """Loss and start angles of one step; theta0 and length in radians and metres, shape (n,)."""
    start = wp.array(theta0, dtype=wp.float64, requires_grad=True)
    theta, omega = wp.clone(start), wp.zeros(len(theta0), dtype=wp.float64, requires_grad=True)
    theta_next = wp.zeros_like(theta)
    loss = wp.zeros(1, dtype=wp.float64, requires_grad=True)
    rod = wp.array(length, dtype=wp.float64)
    wp.launch(swing, dim=len(theta0), inputs=[rod, theta, omega], outputs=[theta_next])
    wp.launch(weighted_angle, dim=len(theta0), inputs=[theta_next, loss])
    return start, loss


def main():
    theta0, length = np.array([0.3, 0.9, 1.4]), np.array([0.5, 1.0, 2.0])
    tape = wp.Tape()
    with tape:
        start, loss = swing_once(theta0, length)
    tape.backward(loss)
    print("AD =", start.grad.numpy().round(6).tolist())

    fd = np.zeros(3)
    for k in range(3):
        step = np.where(np.arange(3) == k, 1e-6, 0.0)
        fd[k] = swing_once(theta0 + step, length)[1].numpy()[0] - swing_once(theta0 - step, length)[1].numpy()[0]
    print("FD =", (fd / 2e-6).round(6).tolist())


if __name__ == "__main__":
    main()
