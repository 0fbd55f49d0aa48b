"""A damped spring is put back to its start when the gradient has been taken."""

import numpy as np
import warp as wp


@wp.kernel
def swing(
    x: wp.array(dtype=wp.float64),
    stiffness: wp.array(dtype=wp.float64),
    dt: wp.float64,
    x_next: wp.array(dtype=wp.float64),
):
    i = wp.tid()
    x_next[i] = x[i] - dt * stiffness[i] * x[i]


@wp.kernel
def misfit(x: wp.array(dtype=wp.float64), loss: wp.array(dtype=wp.float64)):
    i = wp.tid()
    wp.atomic_add(loss, 0, x[i] * x[i])


@wp.kernel
def put_back(x0: wp.array(dtype=wp.float64), x: wp.array(dtype=wp.float64)):
    i = wp.tid()
    x[i] = x0[i]


class Spring:
    def __init__(self, start, steps=3):
        self.start = wp.array(start, dtype=wp.float64)
        self.x = [wp.zeros_like(self.start, requires_grad=True) for _ in range(steps + 1)]
        wp.copy(self.x[0], self.start)

    def loss(self, stiffness):
        total = wp.zeros(1, dtype=wp.float64, requires_grad=True)
        for x, x_next in zip(self.x[:-1], self.x[1:]):
            wp.launch(swing, dim=x.shape, inputs=[x, stiffness, 0.2], outputs=[x_next])
        wp.launch(misfit, dim=self.start.shape, inputs=[self.x[-1]], outputs=[total])
        return total


def main():
    start, k = [1.0, 0.5, -2.0], np.array([0.5, 1.0, 2.0])
    spring = Spring(start)
    stiffness = wp.array(k, dtype=wp.float64, requires_grad=True)
    tape = wp.Tape()
    with tape:
        loss = spring.loss(stiffness)
    tape.backward(loss)
    for x in spring.x:
        wp.launch(put_back, dim=x.shape, inputs=[spring.start], outputs=[x])
    print("AD =", stiffness.grad.numpy().round(6).tolist())

    h, fd = 1e-6, []
    for e in h * np.eye(3):
        high = Spring(start).loss(wp.array(k + e, dtype=wp.float64)).numpy()[0]
        low = Spring(start).loss(wp.array(k - e, dtype=wp.float64)).numpy()[0]
        fd.append((high - low) / (2.0 * h))
    print("FD =", np.round(fd, 6).tolist())


if __name__ == "__main__":
    main()
