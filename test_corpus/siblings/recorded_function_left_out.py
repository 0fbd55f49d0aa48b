import numpy as np

import warp as wp

N = 3


@wp.kernel
def total(x: wp.array[wp.float64], loss: wp.array[wp.float64]):
    i = wp.tid()
    wp.atomic_add(loss, 0, x[i] * (wp.float64(i) + wp.float64(1.0)))


def main(a0, k0):
    a = wp.array(a0, dtype=wp.float64, requires_grad=True)
    y = wp.zeros_like(a)
    loss = wp.zeros(1, dtype=wp.float64, requires_grad=True)
    with wp.Tape() as tape:
        y.assign(np.exp(a.numpy()))
        wp.launch(total, dim=N, inputs=[y, loss])
    tape.backward(loss)
    return (a.grad.numpy(),)


def value(a0, k0):
    return np.sum(np.exp(a0) * np.array([1.0, 2.0, 3.0]))


A0 = [1.5, 0.7, -1.1]
K0 = [0.3]


if __name__ == "__main__":
    for name, gradient in zip(("a", "k"), main(np.array(A0), np.array(K0))):
        print(f"{name}.grad:", gradient)
