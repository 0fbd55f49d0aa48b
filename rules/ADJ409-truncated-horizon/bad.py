"""Cruise control: each step has a tape of its own, so a gain never hears of what it does to later steps."""

import numpy as np
import warp as wp


@wp.kernel
def drive(speed: wp.array(dtype=wp.float64), gain: wp.array(dtype=wp.float64), faster: wp.array(dtype=wp.float64)):
    faster[0] = speed[0] + gain[0] * (wp.float64(1.0) - speed[0])


@wp.kernel
def cost(speed: wp.array(dtype=wp.float64), loss: wp.array(dtype=wp.float64)):
    d = wp.float64(1.0) - speed[0]
    loss[0] = d * d


STEPS = 4


def step(speed, gain):
    faster = wp.zeros(1, dtype=wp.float64, requires_grad=True)
    loss = wp.zeros(1, dtype=wp.float64, requires_grad=True)
    wp.launch(drive, dim=1, inputs=[speed, gain], outputs=[faster])
    wp.launch(cost, dim=1, inputs=[faster], outputs=[loss])
    return faster, loss


def total_cost(g):
    gain = wp.array([g], dtype=wp.float64)
    speed, total = wp.zeros(1, dtype=wp.float64), 0.0
    for _ in range(STEPS):
        speed, loss = step(speed, gain)
        total += loss.numpy()[0]
    return total


def main():
    gain = wp.array([0.3], dtype=wp.float64, requires_grad=True)
    speed = wp.zeros(1, dtype=wp.float64, requires_grad=True)
    for _ in range(STEPS):
        tape = wp.Tape()
        with tape:
            speed, loss = step(speed, gain)
        tape.backward(loss)  # ADJ409
    print("AD =", gain.grad.numpy().round(6).tolist())
    print("FD =", [round(float(total_cost(0.3 + 1e-6) - total_cost(0.3 - 1e-6)) / 2e-6, 6)])


if __name__ == "__main__":
    main()
