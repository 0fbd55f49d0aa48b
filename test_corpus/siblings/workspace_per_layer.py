import numpy as np

import warp as wp

N = 3


@wp.kernel
def times(x: wp.array[wp.float64], k: wp.array[wp.float64], y: wp.array[wp.float64]):
    i = wp.tid()
    y[i] = x[i] * k[0]


@wp.kernel
def sine(x: wp.array[wp.float64], y: wp.array[wp.float64]):
    i = wp.tid()
    y[i] = wp.sin(x[i])


@wp.kernel
def total(x: wp.array[wp.float64], loss: wp.array[wp.float64]):
    i = wp.tid()
    wp.atomic_add(loss, 0, x[i] * (wp.float64(i) + wp.float64(1.0)))


class Workspace:
    def __init__(self):
        self._free = []
        self._used = []

    def take(self, like):
        array = self._free.pop() if self._free else wp.zeros_like(like)
        self._used.append(array)
        return array

    def release(self):
        self._free.extend(self._used)
        self._used.clear()


def forward(a, k, space, keep):
    x = a
    for _ in range(3):
        h = space.take(x)
        wp.launch(sine, dim=N, inputs=[x, h])
        y = wp.zeros_like(x)
        wp.launch(times, dim=N, inputs=[h, k, y])
        x = y
        if not keep:
            space.release()
    loss = wp.zeros(1, dtype=wp.float64, requires_grad=True)
    wp.launch(total, dim=N, inputs=[x, loss])
    return loss


def main(a0, k0):
    a = wp.array(a0, dtype=wp.float64, requires_grad=True)
    k = wp.array(k0, dtype=wp.float64, requires_grad=True)
    tape = wp.Tape()
    with tape:
        loss = forward(a, k, Workspace(), False)
    tape.backward(loss=loss)
    return a.grad.numpy(), k.grad.numpy()


def value(a0, k0):
    return forward(wp.array(a0, dtype=wp.float64), wp.array(k0, dtype=wp.float64), Workspace(), True).numpy()[0]


A0 = [1.5, 0.7, -1.1]
K0 = [0.3]


if __name__ == "__main__":
    for name, gradient in zip(("a", "k"), main(np.array(A0), np.array(K0))):
        print(f"{name}.grad:", gradient)
