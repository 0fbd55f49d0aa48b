"""Drag and wind from landing points. Gradients are summed over the mini-batches of an epoch on purpose.

Trajectory buffers are made once and used by all batches: each batch opens a new tape and writes them before it reads.
"""

import balls
import numpy as np
import warp as wp

wp.config.quiet = True

STEPS, BATCH = 6, 3


def batches():
    rng = np.random.default_rng(5)
    for _ in range(2):
        yield rng.uniform([3.0, 2.0], [6.0, 5.0], (BATCH, 2)), rng.uniform([1.0, 0.0], [2.0, 1.0], (BATCH, 2))


class Trainer:
    def __init__(self, k, wind):
        self.k = wp.array([k], dtype=wp.float64, requires_grad=True)
        self.wind = wp.array([wind], dtype=wp.vec2d, requires_grad=True)
        self.m = wp.zeros_like(self.k, requires_grad=False)
        self.x = wp.zeros((STEPS + 1, BATCH), dtype=wp.vec2d, requires_grad=True)
        self.v = wp.zeros((STEPS + 1, BATCH), dtype=wp.vec2d, requires_grad=True)
        self.loss = wp.zeros(1, dtype=wp.float64, requires_grad=True)

    def forward(self, seen):
        self.loss.zero_()
        for t in range(STEPS):
            wp.launch(balls.fly, dim=BATCH, inputs=[self.x, self.v, self.k, self.wind, 0.05, t])
        wp.launch(balls.landing_error, dim=BATCH, inputs=[self.x, seen, STEPS], outputs=[self.loss])

    def load(self, speed, seen):
        self.x.zero_()
        self.v.zero_()
        self.v[0].assign(speed)
        return wp.array(seen, dtype=wp.vec2d)

    def epoch(self):
        """Sum of the batches' losses; parameters' gradients are left in their arrays."""
        total = 0.0
        self.k.grad.zero_()
        self.wind.grad.zero_()
        for speed, seen in batches():
            self.x.grad.zero_()
            self.v.grad.zero_()
            target = self.load(speed, seen)
            tape = wp.Tape()
            with tape:
                self.forward(target)
            tape.backward(self.loss)
            total += self.loss.numpy()[0]
        return total

    def update(self):
        wp.launch(balls.clip, dim=1, inputs=[0.5], outputs=[self.k.grad])
        wp.launch(balls.momentum_step, dim=1, inputs=[self.k.grad, self.m, 0.01], outputs=[self.k])


def main():
    trainer = Trainer(0.05, [0.5, 0.0])
    for _ in range(3):
        trainer.epoch()
        k, wind = trainer.k.numpy()[0].copy(), trainer.wind.numpy()[0].copy()
        by_k, by_wind = trainer.k.grad.numpy().copy(), trainer.wind.grad.numpy()[0].copy()
        trainer.update()

    def value(k, wind):
        total, other = 0.0, Trainer(k, wind)
        for speed, seen in batches():
            other.forward(other.load(speed, seen))
            total += other.loss.numpy()[0]
        return total

    h = 1e-6
    print("AD k =", by_k.round(7).tolist())
    print("FD k =", [round(float(value(k + h, wind) - value(k - h, wind)) / (2 * h), 7)])
    print("AD wind =", by_wind.round(7).tolist())
    print("FD wind =", np.round([(value(k, wind + h * e) - value(k, wind - h * e)) / (2 * h) for e in np.eye(2)], 7).tolist())


if __name__ == "__main__":
    main()
