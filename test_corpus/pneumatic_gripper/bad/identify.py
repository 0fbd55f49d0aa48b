"""Identify leak rates and bulge factors of a gripper's fingers from measured grips."""

import numpy as np
import physics
import warp as wp

wp.config.quiet = True

FINGERS = 4
STEPS = 5
GAPS = [0.1, 0.9, 0.2, 0.05]


def zeros(n=FINGERS):
    return wp.zeros(n, dtype=wp.float64, requires_grad=True)


def simulate(leakage: wp.array, bulge: wp.array) -> wp.array:
    valve = physics.Valve()
    valve.supply = 2.5
    valve.opening = 1.4

    pressures = [wp.ones(FINGERS, dtype=wp.float64, requires_grad=True)]
    for _ in range(STEPS):
        pressures.append(zeros())
        wp.launch(
            physics.inflate,
            dim=FINGERS,
            inputs=[valve, leakage, pressures[-2], 0.1],
            outputs=[pressures[-1]],
        )

    gap = wp.array(GAPS, dtype=wp.float64)
    count = wp.zeros(1, dtype=int)
    squeezed = zeros()
    wp.launch(physics.squeeze, dim=FINGERS, inputs=[gap, 0.5, count, pressures[-1], bulge], outputs=[squeezed])

    distance = wp.array([0.2, 0.5, 0.8, 1.6], dtype=wp.float64)
    quality = zeros(3)
    wp.launch(physics.grip_quality, dim=3, inputs=[squeezed, distance, FINGERS, 1.0], outputs=[quality])

    measured = wp.array([0.5, 0.4, 0.3], dtype=wp.float64)
    loss = zeros(1)
    wp.launch(physics.misfit, dim=3, inputs=[quality, measured], outputs=[loss])
    return loss


def loss_at(leakage: np.ndarray, bulge: np.ndarray) -> float:
    return simulate(wp.array(leakage, dtype=wp.float64), wp.array(bulge, dtype=wp.float64)).numpy()[0]


def main():
    leakage = np.array([0.1, 0.2, 0.3, 0.15])
    bulge = np.array([0.8, 1.0, 1.2, 0.9])

    leakage_wp = wp.array(leakage, dtype=wp.float64, requires_grad=True)
    bulge_wp = wp.array(bulge, dtype=wp.float64, requires_grad=True)
    tape = wp.Tape()
    with tape:
        loss = simulate(leakage_wp, bulge_wp)
    tape.backward(loss=loss)

    h = 1e-6
    steps = h * np.eye(FINGERS)
    print("AD leakage =", leakage_wp.grad.numpy().round(7).tolist())
    fd = [(loss_at(leakage + e, bulge) - loss_at(leakage - e, bulge)) / (2 * h) for e in steps]
    print("FD leakage =", np.round(fd, 7).tolist())
    print("AD bulge =", bulge_wp.grad.numpy().round(7).tolist())
    fd = [(loss_at(leakage, bulge + e) - loss_at(leakage, bulge - e)) / (2 * h) for e in steps]
    print("FD bulge =", np.round(fd, 7).tolist())


if __name__ == "__main__":
    main()
