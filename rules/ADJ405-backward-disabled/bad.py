"""Drone rotors: the kernel that turns commands into thrust was compiled without its adjoint, to save time."""

import numpy as np
import warp as wp


@wp.kernel(enable_backward=False)  # ADJ405
def thrust(command: wp.array(dtype=wp.float64), force: wp.array(dtype=wp.float64)):
    r = wp.tid()
    force[r] = wp.float64(4.0) * command[r] * command[r]


@wp.kernel
def tilt(force: wp.array(dtype=wp.float64), arm: wp.array(dtype=wp.float64), torque: wp.array(dtype=wp.float64)):
    r = wp.tid()
    wp.atomic_add(torque, 0, arm[r] * force[r])


@wp.kernel
def square(torque: wp.array(dtype=wp.float64), loss: wp.array(dtype=wp.float64)):
    loss[0] = torque[0] * torque[0]


def hover(commands):
    command = wp.array(commands, dtype=wp.float64, requires_grad=True)
    arm = wp.array([0.2, -0.2, 0.3, -0.3], dtype=wp.float64)
    force = wp.zeros_like(command)
    torque = wp.zeros(1, dtype=wp.float64, requires_grad=True)
    loss = wp.zeros(1, dtype=wp.float64, requires_grad=True)
    wp.launch(thrust, dim=4, inputs=[command], outputs=[force])
    wp.launch(tilt, dim=4, inputs=[force, arm], outputs=[torque])
    wp.launch(square, dim=1, inputs=[torque], outputs=[loss])
    return command, loss


if __name__ == "__main__":
    x, h = np.array([0.5, 0.6, 0.7, 0.4]), 1e-6
    with wp.Tape() as tape:
        command, loss = hover(x)
    tape.backward(loss)
    print("AD =", command.grad.numpy().round(6).tolist())

    fd = [(hover(x + e)[1].numpy()[0] - hover(x - e)[1].numpy()[0]) / (2.0 * h) for e in h * np.eye(4)]
    print("FD =", np.round(fd, 6).tolist())
