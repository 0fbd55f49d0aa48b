import numpy as np

import warp as wp


@wp.kernel
def square_kernel(src: wp.array[wp.float64], dst: wp.array[wp.float64]):
    i = wp.tid()
    dst[i] = src[i] * src[i]


@wp.kernel
def scale_kernel(src: wp.array[wp.float64], c: wp.float64, dst: wp.array[wp.float64]):
    i = wp.tid()
    dst[i] = src[i] * c


@wp.kernel
def weighted_sum(x: wp.array[wp.float64], loss: wp.array[wp.float64]):
    i = wp.tid()
    wp.atomic_add(loss, 0, x[i] * (wp.float64(i) + wp.float64(1.0)))


def main():
    a = wp.array([1.5, 2.0, 3.0], dtype=wp.float64, requires_grad=True)
    x = wp.zeros(3, dtype=wp.float64, requires_grad=True)
    y = wp.zeros(3, dtype=wp.float64, requires_grad=True)
    loss = wp.zeros(1, dtype=wp.float64, requires_grad=True)
    tape = wp.Tape()
    with tape:
        wp.launch(square_kernel, dim=3, inputs=[a, x])
        s = wp.utils.array_sum(x)
        wp.launch(scale_kernel, dim=3, inputs=[x, s, y])
        wp.launch(weighted_sum, dim=3, inputs=[y, loss])
    tape.backward(loss)
    print("a.grad:", a.grad.numpy())


if __name__ == "__main__":
    main()
