"""Find the stiffness of a jelly and the friction of the floor it is thrown on."""

import numpy as np
import warp as wp
from mpm.simulation import Simulation

wp.config.quiet = True

GOAL = wp.vec2d(5.0, 3.0)
THROW = np.array([1.5, -2.0])


def value(young, friction, velocity=THROW):
    simulation = Simulation(young, friction)
    simulation.throw(velocity)
    return simulation.loss(GOAL).numpy()[0]


def main():
    young, friction = 6.0, 0.3
    simulation = Simulation(young, friction)
    simulation.throw(THROW)
    tape = wp.Tape()
    with tape:
        loss = simulation.loss(GOAL)
    tape.backward(loss)

    h = 1e-6
    print("AD young =", simulation.young.grad.numpy().round(7).tolist())
    print("FD young =", [round(float(value(young + h, friction) - value(young - h, friction)) / (2 * h), 7)])
    print("AD friction =", simulation.friction.grad.numpy().round(7).tolist())
    print("FD friction =", [round(float(value(young, friction + h) - value(young, friction - h)) / (2 * h), 7)])
    print("AD velocity =", simulation.states[0].v.grad.numpy().sum(axis=0).round(7).tolist())
    fd = [value(young, friction, THROW + h * e) - value(young, friction, THROW - h * e) for e in np.eye(2)]
    print("FD velocity =", np.round(np.array(fd) / (2 * h), 7).tolist())


if __name__ == "__main__":
    main()
