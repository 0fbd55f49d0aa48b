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


def main(a0, k0):
    a = wp.array(a0, dtype=wp.float64, requires_grad=True)
    k = wp.array(k0, dtype=wp.float64, requires_grad=True)
    y = wp.zeros_like(a)
    loss = wp.zeros(1, dtype=wp.float64, requires_grad=True)
    tape = wp.Tape()
    with tape:
        wp.launch(times, dim=N, inputs=[a, k, y])
        wp.launch(total_square, dim=N, inputs=[y, loss])
    for epoch in range(3):
        if epoch:
            tape.zero()
        tape.backward(loss)
    return a.grad.numpy(), k.grad.numpy()


def value(a0, k0):
    return np.sum((a0 * k0) ** 2)


A0 = [1.5, 0.7, -1.1]
K0 = [0.3]


if __name__ == "__main__":
    for name, gradient in zip(("a", "k"), main(np.array(A0), np.array(K0))):
        print(f"{name}.grad:", gradient)
