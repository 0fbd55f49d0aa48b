import numpy as np

import warp as wp

N = 3


@wp.kernel
def times(x: wp.array[wp.float64], k: wp.array[wp.float64], y: wp.array[wp.float64]):
    i = wp.tid()
    y[i] = x[i] * k[0]


@wp.kernel
def total(x: wp.array[wp.float64], loss: wp.array[wp.float64]):
    i = wp.tid()
    wp.atomic_add(loss, 0, x[i] * (wp.float64(i) + wp.float64(1.0)))


from collections import namedtuple

Pair = namedtuple("Pair", "current spare")


def arrays(a0, k0):
    a = wp.array(a0, dtype=wp.float64, requires_grad=True)
    k = wp.array(k0, dtype=wp.float64, requires_grad=True)
    return a, k


def roll(pair, k, steps):
    for _ in range(steps):
        wp.launch(times, dim=N, inputs=[pair.current, k, pair.spare])
        pair = pair._replace(current=pair.spare, spare=pair.current)
    return pair.current


def loss_of(a, k):
    loss = wp.zeros(1, dtype=wp.float64, requires_grad=True)
    start = wp.clone(a)
    end = roll(Pair(start, wp.zeros_like(a)), k, 3)
    wp.launch(total, dim=N, inputs=[end, loss])
    return loss


def main(a0, k0):
    a, k = arrays(a0, k0)
    with wp.Tape() as tape:
        loss = loss_of(a, k)
    tape.backward(loss)
    return a.grad.numpy(), k.grad.numpy()


def value(a0, k0):
    return loss_of(*arrays(a0, k0)).numpy()[0]


A0 = [1.5, 0.7, -1.1]
K0 = [0.3]


if __name__ == "__main__":
    for name, gradient in zip(("a", "k"), main(np.array(A0), np.array(K0))):
        print(f"{name}.grad:", gradient)
