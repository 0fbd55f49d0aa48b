import numpy as np

import warp as wp

N = 3


@wp.kernel
def square(x: wp.array[wp.float64], y: wp.array[wp.float64]):
    i = wp.tid()
    y[i] = x[i] * x[i]


@wp.kernel
def sine(x: wp.array[wp.float64], y: wp.array[wp.float64]):
    i = wp.tid()
    y[i] = wp.sin(x[i])


@wp.kernel
def total(x: wp.array[wp.float64], loss: wp.array[wp.float64]):
    i = wp.tid()
    wp.atomic_add(loss, 0, x[i] * (wp.float64(i) + wp.float64(1.0)))


def main(a0, k0):
    a = wp.array(a0, dtype=wp.float64, requires_grad=True)
    both = wp.zeros(2 * N, dtype=wp.float64)
    both.requires_grad = True
    tail = both[N:]
    out = wp.zeros(2 * N, dtype=wp.float64, requires_grad=True)
    loss = wp.zeros(1, dtype=wp.float64, requires_grad=True)
    with wp.Tape() as tape:
        wp.launch(square, dim=N, inputs=[a, tail])
        wp.launch(sine, dim=2 * N, inputs=[both, out])
        wp.launch(total, dim=2 * N, inputs=[out, loss])
    tape.backward(loss)
    return (a.grad.numpy(),)


def value(a0, k0):
    return np.sum(np.sin(a0 * a0) * np.array([4.0, 5.0, 6.0]))


A0 = [1.5, 0.7, -1.1]
K0 = [0.3]


if __name__ == "__main__":
    for name, gradient in zip(("a", "k"), main(np.array(A0), np.array(K0))):
        print(f"{name}.grad:", gradient)
