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


def main(a0, k0):
    a = wp.array(a0, dtype=wp.float64, requires_grad=True)
    y, z = wp.zeros_like(a), wp.zeros_like(a)
    seed = wp.ones(N, dtype=wp.float64)
    tape = wp.Tape()
    with tape:
        wp.launch(square, dim=N, inputs=[a, y])
        wp.launch(sine, dim=N, inputs=[a, z])
    y.grad = seed
    tape.backward()
    seed.fill_(1.0)
    z.grad = seed
    tape.backward()
    return (a.grad.numpy(),)


def value(a0, k0):
    return np.sum(a0 * a0 + np.sin(a0))


A0 = [1.5, 0.7, -1.1]
K0 = [0.3]


if __name__ == "__main__":
    for name, gradient in zip(("a", "k"), main(np.array(A0), np.array(K0))):
        print(f"{name}.grad:", gradient)
