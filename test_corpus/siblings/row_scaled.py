import numpy as np

import warp as wp


@wp.kernel
def kern(a: wp.array2d(dtype=wp.float64), b: wp.array(dtype=wp.float64)):
    i, j = wp.tid()
    row = a[i]
    row[j] *= b[j]


@wp.kernel
def weighted_sum(x: wp.array[wp.float64], loss: wp.array[wp.float64]):
    i = wp.tid()
    wp.atomic_add(loss, 0, x[i] * (wp.float64(i) + wp.float64(1.0)))


def forward(a0, b):
    a = wp.clone(a0)
    wp.launch(kern, dim=(2, 2), inputs=[a.reshape((2, 2)), b])
    loss = wp.zeros(1, dtype=wp.float64, requires_grad=True)
    wp.launch(weighted_sum, dim=4, inputs=[a, loss])
    return loss


def main():
    a0 = wp.array([1.0, 2.0, 3.0, 4.0], dtype=wp.float64, requires_grad=True)
    b = wp.array([1.5, 2.0, 3.0], dtype=wp.float64, requires_grad=True)

    tape = wp.Tape()
    with tape:
        loss = forward(a0, b)
    tape.backward(loss)

    print("a0.grad:", a0.grad.numpy())
    print("b.grad:", b.grad.numpy())


if __name__ == "__main__":
    main()
