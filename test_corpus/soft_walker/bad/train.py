"""Policy gradient through the simulation: how should the network move the springs to get ahead?"""

import body
import numpy as np
import warp as wp
from network import Mlp

wp.config.quiet = True

NODES = 4
STEPS = 5


class Walker:
    def __init__(self):
        self.policy = Mlp(2 * NODES + 1, 6, NODES - 1)
        self.stiffness = wp.array([30.0, 40.0, 35.0], dtype=wp.float64, requires_grad=True)
        self.tape = None

    def zeros(self, n=NODES):
        return wp.zeros(n, dtype=wp.float64, requires_grad=True)

    def step(self, x, v, time):
        observation = self.zeros(2 * NODES + 1)
        wp.launch(body.observe, dim=2 * NODES + 1, inputs=[x, v, time], outputs=[observation])
        action = self.policy(observation)
        force = self.zeros()
        wp.launch(body.actuate, dim=NODES - 1, inputs=[x, action, self.stiffness], outputs=[force])
        x_next, v_next = self.zeros(), self.zeros()
        wp.launch(body.advance, dim=NODES, inputs=[x, v, force], outputs=[x_next, v_next])
        return x_next, v_next

    def forward(self):
        x = wp.array([0.0, 0.45, 1.0, 1.6], dtype=wp.float64, requires_grad=True)
        v = self.zeros()
        for k in range(STEPS):
            x, v = self.step(x, v, 0.02 * k)
        loss = self.zeros(1)
        wp.launch(body.progress, dim=NODES, inputs=[x], outputs=[loss])
        return loss

    def backward(self):
        self.tape = wp.Tape()
        with self.tape:
            loss = self.forward()
        self.tape.backward(loss)
        return loss


def difference(array, h=1e-6):
    """Central differences with respect to every element of a parameter of a fresh walker; `array` picks it."""
    size = array(Walker()).size
    fd = np.zeros(size)
    for k in range(size):
        for sign in (1.0, -1.0):
            walker = Walker()
            parameter = array(walker)
            values = parameter.numpy().copy()
            values.flat[k] += sign * h
            parameter.assign(values)
            fd[k] += sign * walker.forward().numpy()[0] / (2.0 * h)
    return fd


def main():
    walker = Walker()
    walker.backward()
    chosen = {
        "first_bias": lambda w: w.policy.layers[0].b,
        "last_weight": lambda w: w.policy.layers[-1].w,
        "stiffness": lambda w: w.stiffness,
    }
    for name, pick in chosen.items():
        print(f"AD {name} =", pick(walker).grad.numpy().flatten().round(9).tolist())
        print(f"FD {name} =", difference(pick).round(9).tolist())


if __name__ == "__main__":
    main()
