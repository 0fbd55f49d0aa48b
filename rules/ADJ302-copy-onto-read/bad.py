"""A logistic population model: after each step the new state is copied back over the old one."""

import numpy as np
import warp as wp


@wp.kernel
def grow(state: wp.array[wp.float64], rate: wp.array[wp.float64], grown: wp.array[wp.float64]):
    i = wp.tid()
    s = state[i]
    grown[i] = s + rate[i] * s * (wp.float64(1.0) - s)


@wp.kernel
def census(state: wp.array[wp.float64], target: wp.array[wp.float64], loss: wp.array[wp.float64]):
    i = wp.tid()
    d = state[i] - target[i]
    wp.atomic_add(loss, 0, d * d)


class Population:
    def __init__(self, rate):
        self.rate = wp.array(rate, dtype=wp.float64, requires_grad=True)
        self.state = wp.full(len(rate), 0.1, dtype=wp.float64, requires_grad=True)
        self.grown = wp.zeros_like(self.state)
        self.target = wp.full(len(rate), 0.5, dtype=wp.float64)
        self.loss = wp.zeros(1, dtype=wp.float64, requires_grad=True)

    def step(self):
        wp.launch(grow, dim=self.state.shape, inputs=[self.state, self.rate], outputs=[self.grown])
        wp.copy(self.state, self.grown)  # ADJ302

    def forward(self, generations=5):
        for _ in range(generations):
            self.step()
        wp.launch(census, dim=self.state.shape, inputs=[self.state, self.target], outputs=[self.loss])
        return self.loss


if __name__ == "__main__":
    x, h = np.array([0.3, 0.5, 0.8]), 1e-6
    model = Population(x)
    with wp.Tape() as tape:
        model.forward()
    tape.backward(model.loss)
    print("AD =", model.rate.grad.numpy().round(6).tolist())

    fd = []
    for e in h * np.eye(3):
        fd.append((Population(x + e).forward().numpy()[0] - Population(x - e).forward().numpy()[0]) / (2.0 * h))
    print("FD =", np.round(fd, 6).tolist())
