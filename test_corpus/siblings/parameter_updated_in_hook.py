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


class Loop:
    def __init__(self, a0, k0):
        self.a = wp.array(a0, dtype=wp.float64, requires_grad=True)
        self.k = wp.array(k0, dtype=wp.float64, requires_grad=True)
        self.callbacks = []

    def run(self):
        y = wp.zeros_like(self.a)
        loss = wp.zeros(1, dtype=wp.float64, requires_grad=True)
        with wp.Tape() as tape:
            wp.launch(times, dim=N, inputs=[self.a, self.k, y])
            wp.launch(total_square, dim=N, inputs=[y, loss])
        for callback in self.callbacks:
            callback(self)
        tape.backward(loss)
        return self.a.grad.numpy(), self.k.grad.numpy()


def clip(loop):
    loop.k.assign(np.clip(loop.k.numpy(), 0.0, 0.1))


def main(a0, k0):
    loop = Loop(a0, k0)
    loop.callbacks.append(clip)
    return loop.run()


def value(a0, k0):
    return np.sum((a0 * k0) ** 2)


A0 = [1.5, 0.7, -1.1]
K0 = [0.3]


if __name__ == "__main__":
    for name, gradient in zip(("a", "k"), main(np.array(A0), np.array(K0))):
        print(f"{name}.grad:", gradient)
