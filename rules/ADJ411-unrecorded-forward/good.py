"""A cloth's rest lengths are computed inside the tape, like all else."""

import numpy as np
import warp as wp


@wp.kernel
def rest_lengths(pattern: wp.array(dtype=wp.float64), rest: wp.array(dtype=wp.float64)):
    e = wp.tid()
    rest[e] = wp.float64(0.9) * (pattern[e + 1] - pattern[e])


@wp.kernel
def strain(rest: wp.array(dtype=wp.float64), worn: wp.array(dtype=wp.float64), loss: wp.array(dtype=wp.float64)):
    e = wp.tid()
    s = worn[e] / rest[e] - wp.float64(1.0)
    wp.atomic_add(loss, 0, s * s)


class Garment:
    def __init__(self, pattern):
        self.edges = len(pattern) - 1
        self.pattern = wp.array(pattern, dtype=wp.float64, requires_grad=True)
        self.rest = wp.zeros(self.edges, dtype=wp.float64, requires_grad=True)
        self.worn = wp.array([1.1, 0.8, 1.3], dtype=wp.float64)
        self.loss = wp.zeros(1, dtype=wp.float64, requires_grad=True)

    def cut(self):
        wp.launch(rest_lengths, dim=self.edges, inputs=[self.pattern], outputs=[self.rest])

    def wear(self):
        wp.launch(strain, dim=self.edges, inputs=[self.rest, self.worn], outputs=[self.loss])


def loss_value(pattern):
    garment = Garment(pattern)
    garment.cut()
    garment.wear()
    return garment.loss.numpy()[0]


if __name__ == "__main__":
    x, h = np.array([0.0, 1.0, 2.1, 3.0]), 1e-6
    garment = Garment(x)
    tape = wp.Tape()
    with tape:
        garment.cut()
        garment.wear()
    tape.backward(garment.loss)
    print("AD =", garment.pattern.grad.numpy().round(6).tolist())

    fd = [(loss_value(x + e) - loss_value(x - e)) / (2.0 * h) for e in h * np.eye(4)]
    print("FD =", np.round(fd, 6).tolist())
