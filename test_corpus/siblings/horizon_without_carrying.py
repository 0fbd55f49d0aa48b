import numpy as np

import warp as wp

N = 3


@wp.kernel
def evolve(s: wp.array[wp.float64], k: wp.array[wp.float64], d: wp.array[wp.float64]):
    i = wp.tid()
    d[i] = s[i] + wp.sin(s[i]) * k[0]


@wp.kernel
def total(x: wp.array[wp.float64], loss: wp.array[wp.float64]):
    i = wp.tid()
    wp.atomic_add(loss, 0, x[i] * (wp.float64(i) + wp.float64(1.0)))


class Controller:
    def __init__(self, a0, k0):
        self.a = wp.array(a0, dtype=wp.float64, requires_grad=True)
        self.k = wp.array(k0, dtype=wp.float64, requires_grad=True)

    def rollout(self, x, steps):
        for _ in range(steps):
            y = wp.zeros_like(x)
            wp.launch(evolve, dim=N, inputs=[x, self.k, y])
            x = y
        return x

    def plan(self):
        x = self.a
        for _ in range(2):
            loss = wp.zeros(1, dtype=wp.float64, requires_grad=True)
            tape = wp.Tape()
            with tape:
                x = self.rollout(x, 2)
                wp.launch(total, dim=N, inputs=[x, loss])
            tape.backward(loss)
        return self.a.grad.numpy(), self.k.grad.numpy()


def main(a0, k0):
    return Controller(a0, k0).plan()


def value(a0, k0):
    c = Controller(a0, k0)
    loss = wp.zeros(1, dtype=wp.float64)
    x = c.rollout(c.a, 2)
    wp.launch(total, dim=N, inputs=[x, loss])
    wp.launch(total, dim=N, inputs=[c.rollout(x, 2), loss])
    return loss.numpy()[0]


A0 = [1.5, 0.7, -1.1]
K0 = [0.3]


if __name__ == "__main__":
    for name, gradient in zip(("a", "k"), main(np.array(A0), np.array(K0))):
        print(f"{name}.grad:", gradient)
