import numpy as np

import warp as wp

N = 3


@wp.kernel
def times(x: wp.array[wp.float64], k: wp.array[wp.float64], y: wp.array[wp.float64]):
    i = wp.tid()
    y[i] = x[i] * k[0]


@wp.kernel
def total_square(x: wp.array[wp.float64], loss: wp.array[wp.float64]):
    i = wp.tid()
    wp.atomic_add(loss, 0, x[i] * x[i])


class Trainer:
    def __init__(self, a0, k0):
        self.a0 = list(a0)
        self.x = wp.zeros(N, dtype=wp.float64, requires_grad=True)
        self.k = wp.array(k0, dtype=wp.float64, requires_grad=True)
        self.y = wp.zeros(N, dtype=wp.float64, requires_grad=True)
        self.loss = wp.zeros(1, dtype=wp.float64, requires_grad=True)

    def epoch(self):
        self.x.assign(self.a0)
        self.loss.zero_()
        with wp.Tape() as tape:
            wp.launch(times, dim=N, inputs=[self.x, self.k, self.y])
            wp.launch(total_square, dim=N, inputs=[self.y, self.loss])
        tape.backward(self.loss)
        found = self.x.grad.numpy().copy(), self.k.grad.numpy().copy()
        tape.zero()
        return found


def main(a0, k0):
    trainer = Trainer(a0, k0)
    return [trainer.epoch() for _ in range(2)][-1]


def value(a0, k0):
    return np.sum((a0 * k0) ** 2)


A0 = [1.5, 0.7, -1.1]
K0 = [0.3]


if __name__ == "__main__":
    for name, gradient in zip(("a", "k"), main(np.array(A0), np.array(K0))):
        print(f"{name}.grad:", gradient)
