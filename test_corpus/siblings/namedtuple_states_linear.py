import numpy as np

import warp as wp

N = 3


@wp.kernel
def scale(x: wp.array[wp.float64], c: wp.float64, y: wp.array[wp.float64]):
    i = wp.tid()
    y[i] = x[i] * c


@wp.kernel
def total(x: wp.array[wp.float64], loss: wp.array[wp.float64]):
    i = wp.tid()
    wp.atomic_add(loss, 0, x[i] * (wp.float64(i) + wp.float64(1.0)))


from collections import namedtuple

Pair = namedtuple("Pair", "current spare")


def roll(pair, c, steps):
    for _ in range(steps):
        wp.launch(scale, dim=N, inputs=[pair.current, c, pair.spare])
        pair = Pair(pair.spare, pair.current)
    return pair.current


def loss_of(a):
    loss = wp.zeros(1, dtype=wp.float64, requires_grad=True)
    end = roll(Pair(wp.clone(a), wp.zeros_like(a)), wp.float64(1.5), 3)
    wp.launch(total, dim=N, inputs=[end, loss])
    return loss


def main(a0, k0):
    a = wp.array(a0, dtype=wp.float64, requires_grad=True)
    with wp.Tape() as tape:
        loss = loss_of(a)
    tape.backward(loss)
    return (a.grad.numpy(),)


def value(a0, k0):
    return loss_of(wp.array(a0, dtype=wp.float64)).numpy()[0]


A0 = [1.5, 0.7, -1.1]
K0 = [0.3]


if __name__ == "__main__":
    for name, gradient in zip(("a", "k"), main(np.array(A0), np.array(K0))):
        print(f"{name}.grad:", gradient)
