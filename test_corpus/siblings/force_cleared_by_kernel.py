import numpy as np

import warp as wp


@wp.kernel
def add_kernel(a: wp.array(dtype=wp.float64), b: wp.array(dtype=wp.float64), dst: wp.array(dtype=wp.float64)):
    i = wp.tid()
    dst[i] = a[i] + b[i]


@wp.kernel
def accumulate_kernel(src: wp.array(dtype=wp.float64), dst: wp.array(dtype=wp.float64)):
    i = wp.tid()
    dst[i] += src[i]


@wp.kernel
def fill_kernel(dst: wp.array(dtype=wp.float64)):
    i = wp.tid()
    dst[i] = wp.float64(1.0)


@wp.kernel
def weighted_sum(x: wp.array(dtype=wp.float64), loss: wp.array(dtype=wp.float64)):
    i = wp.tid()
    wp.atomic_add(loss, 0, x[i] * (wp.float64(i) + wp.float64(1.0)))


def forward(a):
    x = wp.clone(a)
    f = wp.zeros(3, dtype=wp.float64, requires_grad=True)
    for _ in range(3):
        wp.launch(fill_kernel, dim=3, outputs=[f])
        wp.launch(accumulate_kernel, dim=3, inputs=[x], outputs=[f])
        y = wp.zeros(3, dtype=wp.float64, requires_grad=True)
        wp.launch(add_kernel, dim=3, inputs=[x, f], outputs=[y])
        x = y
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
