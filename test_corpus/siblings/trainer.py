import argparse
from dataclasses import dataclass, field

import numpy as np
import warp as wp
import warp.optim


@dataclass
class Config:
    steps: int = 4
    dt: float = 0.1
    epochs: int = 2
    lr: float = 0.0
    record: bool = False
    history: list = field(default_factory=list)


@wp.kernel
def drag_step(x: wp.array[wp.vec2], v: wp.array[wp.vec2], c: wp.array[float], dt: float, xo: wp.array[wp.vec2], vo: wp.array[wp.vec2]):
    i = wp.tid()
    vi = v[i]
    a = wp.vec2(0.0, -1.0) - vi * (c[0] * wp.length(vi))
    vn = vi + a * dt
    vo[i] = vn
    xo[i] = x[i] + vn * dt


@wp.kernel
def landing(x: wp.array[wp.vec2], target: wp.vec2, loss: wp.array[float]):
    i = wp.tid()
    d = x[i] - target
    wp.atomic_add(loss, 0, wp.dot(d, d))


class Rollout:
    def __init__(self, config):
        self.config = config
        self.x = [wp.zeros(2, dtype=wp.vec2, requires_grad=True) for _ in range(config.steps + 1)]
        self.v = [wp.zeros(2, dtype=wp.vec2, requires_grad=True) for _ in range(config.steps + 1)]
        self.c = wp.array([0.3], dtype=float, requires_grad=True)
        self.v0 = wp.array([[1.0, 2.0], [1.5, 0.5]], dtype=wp.vec2, requires_grad=True)
        self.loss = wp.zeros(1, dtype=float, requires_grad=True)
        self.optimizer = warp.optim.Adam([self.c], lr=config.lr)

    def forward(self):
        wp.copy(self.v[0], self.v0)
        for k in range(self.config.steps):
            a = k
            wp.launch(drag_step, dim=2, inputs=[self.x[a], self.v[a], self.c, self.config.dt], outputs=[self.x[a + 1], self.v[a + 1]])
        wp.launch(landing, dim=2, inputs=[self.x[-1], wp.vec2(1.0, 0.2)], outputs=[self.loss])

    def train(self):
        for epoch in range(self.config.epochs):
            self.loss.zero_()
            tape = wp.Tape()
            pass
            with tape:
                self.forward()
            tape.backward(self.loss)
            print("self.c.grad:", self.c.grad.numpy())
            print("self.v0.grad:", self.v0.grad.numpy())
            self.optimizer.step([self.c.grad])
            if self.config.record:
                self.config.history.append([x.numpy().copy() for x in self.x])
            tape.zero()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--epochs", type=int, default=2)
    args = parser.parse_known_args([])[0]
    Rollout(Config(epochs=args.epochs)).train()


if __name__ == "__main__":
    main()
