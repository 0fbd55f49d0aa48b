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


def record(a, k):
    tape = wp.Tape()
    y = wp.zeros_like(a)
    loss = wp.zeros(1, dtype=wp.float64, requires_grad=True)
    with tape:
        wp.launch(times, dim=N, inputs=[a, k, y])
        wp.launch(total_square, dim=N, inputs=[y, loss])
    return tape, loss


def main(a0, k0):
    a = wp.array(a0, dtype=wp.float64, requires_grad=True)
    k = wp.array(k0, dtype=wp.float64, requires_grad=True)
    for tape, loss in (record(a, k) for _ in range(2)):
        tape.backward(loss)
        grads = tape.gradients[a].numpy().copy(), tape.gradients[k].numpy().copy()
        tape.zero()
    return grads


def value(a0, k0):
    return record(wp.array(a0, dtype=wp.float64), wp.array(k0, dtype=wp.float64))[1].numpy()[0]


A0 = [1.5, 0.7, -1.1]
K0 = [0.3]


if __name__ == "__main__":
    for name, gradient in zip(("a", "k"), main(np.array(A0), np.array(K0))):
        print(f"{name}.grad:", gradient)
