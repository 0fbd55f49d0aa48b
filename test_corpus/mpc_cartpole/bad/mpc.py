"""Model predictive control: a window of states, shifted after every real step."""

import numpy as np
import warp as wp
from cartpole import Params, advance, stage_cost

HORIZON = 5


class Controller:
    def __init__(self, start, plan, gain, dt=0.05):
        self.dt = dt
        self.params = Params()
        self.params.cart, self.params.pole, self.params.length = 1.0, 0.2, 0.5
        self.plan = wp.array(plan, dtype=wp.float64, requires_grad=True)
        self.gain = wp.array([gain], dtype=wp.vec4d, requires_grad=True)
        self.states = [self.blank() for _ in range(HORIZON + 1)]
        self.states[0].assign(np.array([start]))

    def blank(self):
        return wp.zeros(1, dtype=wp.vec4d, requires_grad=True)

    @property
    def state(self):
        return self.states[0]

    def predict(self):
        """Cost over the horizon from the present state."""
        cost = wp.zeros(1, dtype=wp.float64, requires_grad=True)
        for t in range(HORIZON):
            now, then = self.states[t], self.states[t + 1]
            wp.launch(advance, dim=1, inputs=[now, self.plan, self.gain, self.params, self.dt, t], outputs=[then])
            wp.launch(stage_cost, dim=1, inputs=[then, self.plan, t], outputs=[cost])
        return cost

    def shift(self):
        """The window moves on to its own end: the predicted end is where the next window starts."""
        self.states[0] = self.states[-1]

    def improve(self, rate):
        tape = wp.Tape()
        with tape:
            cost = self.predict()
        tape.backward(cost)
        plan, gain = self.plan.grad.numpy().copy(), self.gain.grad.numpy()[0].copy()
        self.plan.assign(self.plan.numpy() - rate * plan)
        return plan, gain
