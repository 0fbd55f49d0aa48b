import numpy as np

import warp as wp


@wp.kernel
def square_kernel(src: wp.array(dtype=wp.float64), dst: wp.array(dtype=wp.float64)):
    i = wp.tid()
    dst[i] = src[i] * src[i]


@wp.kernel
def weighted_sum(x: wp.array(dtype=wp.float64), loss: wp.array(dtype=wp.float64)):
    i = wp.tid()
    wp.atomic_add(loss, 0, x[i] * (wp.float64(i) + wp.float64(1.0)))


def main():
    a = wp.array([1.5, 2.0, 3.0], dtype=wp.float64, requires_grad=True)
    x = wp.zeros(3, dtype=wp.float64, requires_grad=True)
    loss = wp.zeros(1, dtype=wp.float64, requires_grad=True)
    tape = wp.Tape()
    with tape:
        wp.launch(square_kernel, dim=3, inputs=[a, x])
        wp.launch(weighted_sum, dim=3, inputs=[x, loss])
    for k in range(2):
        tape.zero()
        tape.backward(loss)
        print("a.grad:", a.grad.numpy())
        tape.reset()


if __name__ == "__main__":
    main()
