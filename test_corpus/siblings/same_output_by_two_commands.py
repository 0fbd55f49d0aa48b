import numpy as np

import warp as wp

N = 3


@wp.kernel
def square(x: wp.array[wp.float64], y: wp.array[wp.float64]):
    i = wp.tid()
    y[i] = x[i] * x[i]


@wp.kernel
def times(x: wp.array[wp.float64], k: wp.array[wp.float64], y: wp.array[wp.float64]):
    i = wp.tid()
    y[i] = x[i] * k[0]


@wp.kernel
def total(x: wp.array[wp.float64], loss: wp.array[wp.float64]):
    i = wp.tid()
    wp.atomic_add(loss, 0, x[i] * (wp.float64(i) + wp.float64(1.0)))


def main(a0, k0):
    a = wp.array(a0, dtype=wp.float64, requires_grad=True)
    k = wp.array(k0, dtype=wp.float64, requires_grad=True)
    y, z = wp.zeros_like(a), wp.zeros_like(a)
    loss = wp.zeros(1, dtype=wp.float64, requires_grad=True)
    command = wp.launch(times, dim=N, inputs=[a, k, y], record_cmd=True)
    with wp.Tape() as tape:
        command.launch()
        wp.launch(square, dim=N, inputs=[y, z])
        wp.launch(total, dim=N, inputs=[z, loss])
    tape.backward(loss)
    return a.grad.numpy(), k.grad.numpy()


def value(a0, k0):
    return np.sum((a0 * k0) ** 2 * np.array([1.0, 2.0, 3.0]))


A0 = [1.5, 0.7, -1.1]
K0 = [0.3]


if __name__ == "__main__":
    for name, gradient in zip(("a", "k"), main(np.array(A0), np.array(K0))):
        print(f"{name}.grad:", gradient)
