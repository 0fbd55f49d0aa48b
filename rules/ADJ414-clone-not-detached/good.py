"""Two control windows: the second is meant to take its start as given, and the clone carries no gradient."""

import numpy as np
import warp as wp


@wp.kernel
def push(speed: wp.array(dtype=wp.float64), thrust: wp.array(dtype=wp.float64), faster: wp.array(dtype=wp.float64)):
    faster[0] = wp.float64(0.5) * speed[0] * speed[0] + thrust[0]


@wp.kernel
def cost(speed: wp.array(dtype=wp.float64), loss: wp.array(dtype=wp.float64)):
    loss[0] = speed[0] * speed[0]


def window(speed, thrust):
    faster = wp.zeros(1, dtype=wp.float64, requires_grad=True)
    wp.launch(push, dim=1, inputs=[speed, thrust], outputs=[faster])
    return faster


def second_window_cost(thrust, start):
    """Cost of the second window alone, its start held fixed: what is meant to be differentiated."""
    loss = wp.zeros(1, dtype=wp.float64)
    speed = window(wp.array([start], dtype=wp.float64), wp.array([thrust], dtype=wp.float64))
    wp.launch(cost, dim=1, inputs=[speed], outputs=[loss])
    return float(loss.numpy()[0])


def main():
    thrust = wp.array([0.8], dtype=wp.float64, requires_grad=True)
    first = wp.array([0.6], dtype=wp.float64, requires_grad=True)
    loss = wp.zeros(1, dtype=wp.float64, requires_grad=True)
    tape = wp.Tape()
    with tape:
        reached = window(first, thrust)
        detached = wp.clone(reached, requires_grad=False)
        speed = window(detached, thrust)
        wp.launch(cost, dim=1, inputs=[speed], outputs=[loss])
    tape.backward(loss)
    start = float(reached.numpy()[0])
    slope = (second_window_cost(0.8 + 1e-5, start) - second_window_cost(0.8 - 1e-5, start)) / 2e-5
    print("AD =", np.round(thrust.grad.numpy(), 6).tolist())
    print("FD =", [round(slope, 6)])


if __name__ == "__main__":
    main()
