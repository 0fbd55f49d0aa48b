import numpy as np

import warp as wp


@wp.kernel
def square_kernel(src: wp.array(dtype=wp.float64), dst: wp.array(dtype=wp.float64)):
    i = wp.tid()
    dst[i] = src[i] * src[i]


@wp.kernel
def sin_kernel(src: wp.array(dtype=wp.float64), dst: wp.array(dtype=wp.float64)):
    i = wp.tid()
    dst[i] = wp.sin(src[i])


@wp.kernel
def triple_kernel(src: wp.array(dtype=wp.float64), dst: wp.array(dtype=wp.float64)):
    i = wp.tid()
    dst[i] = src[i] * wp.float64(3.0)


@wp.kernel
def weighted_sum(x: wp.array(dtype=wp.float64), loss: wp.array(dtype=wp.float64)):
    i = wp.tid()
    wp.atomic_add(loss, 0, x[i] * (wp.float64(i) + wp.float64(1.0)))


def forward(a):
    buf = wp.zeros(6, dtype=wp.float64, requires_grad=True)
    wp.launch(square_kernel, dim=3, inputs=[a, buf[::2]])
    x = wp.zeros(3, dtype=wp.float64, requires_grad=True)
    wp.launch(sin_kernel, dim=3, inputs=[buf[::2], x])
    wp.launch(triple_kernel, dim=3, inputs=[a, buf[2:5]])
    loss = wp.zeros(1, dtype=wp.float64, requires_grad=True)
    wp.launch(weighted_sum, dim=3, inputs=[x, loss])
    return loss


def main():
    a = wp.array([1.5, 2.0, 3.0], dtype=wp.float64, requires_grad=True)

    tape = wp.Tape()
    with tape:
        loss = forward(a)
    tape.backward(loss)
    print("a.grad:", a.grad.numpy())


if __name__ == "__main__":
    main()
