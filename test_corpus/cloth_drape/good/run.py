"""Tune a cloth's springs so that it hangs flat. Prints the gradient of the third iteration."""

import numpy as np
import warp as wp
from cloth import Solver, hanging_cloth
from cloth.kernels import distance_to

wp.config.quiet = True

STEPS = 6


def loss_of(cloth, target):
    final = Solver(cloth).rollout(STEPS)
    loss = wp.zeros(1, dtype=wp.float64, requires_grad=True)
    wp.launch(distance_to, dim=cloth.particles, inputs=[final.x, target], outputs=[loss])
    return loss


def train(cloth, target, iterations=3, rate=20.0):
    """Descend on the stiffness; returns the last gradients and the stiffness they belong to."""
    for _ in range(iterations):
        tape = wp.Tape()
        with tape:
            loss = loss_of(cloth, target)
        tape.backward(loss)
        stiffness = cloth.stiffness.numpy().copy()
        by_stiffness = cloth.stiffness.grad.numpy().copy()
        by_mass = cloth.mass.grad.numpy().copy()
        tape.zero()
        cloth.stiffness.assign(stiffness - rate * by_stiffness)
    return stiffness, by_stiffness, by_mass


def main():
    mass = np.linspace(0.05, 0.1, 9)
    cloth = hanging_cloth(np.linspace(20.0, 60.0, 12), mass)
    target = wp.array(cloth.x0 * np.array([1.0, 0.0, 1.0]), dtype=wp.vec3d)
    k, by_stiffness, by_mass = train(cloth, target)

    def value(stiffness, masses):
        return loss_of(hanging_cloth(stiffness, masses), target).numpy()[0]

    h = 1e-4
    fd = [(value(k + h * e, mass) - value(k - h * e, mass)) / (2 * h) for e in np.eye(12)]
    print("AD stiffness =", by_stiffness.round(9).tolist())
    print("FD stiffness =", np.round(fd, 9).tolist())

    h = 1e-7
    free = [1, 3, 4, 5, 6, 7, 8]
    fd = [(value(k, mass + h * e) - value(k, mass - h * e)) / (2 * h) for e in np.eye(9)[free]]
    print("AD mass =", by_mass[free].round(6).tolist())
    print("FD mass =", np.round(fd, 6).tolist())


if __name__ == "__main__":
    main()
