import numpy as np
from functools import partial

import warp as wp


@wp.kernel
def sin_kernel(src: wp.array[wp.float64], dst: wp.array[wp.float64]):
    i = wp.tid()
    dst[i] = wp.sin(src[i])


@wp.kernel
def double_kernel(x: wp.array[wp.float64]):
    i = wp.tid()
    x[i] = x[i] * wp.float64(2.0)


@wp.kernel
def add_kernel(a: wp.array[wp.float64], b: wp.array[wp.float64], dst: wp.array[wp.float64]):
    i = wp.tid()
    dst[i] = a[i] + b[i]


@wp.kernel
def weighted_sum(x: wp.array[wp.float64], loss: wp.array[wp.float64]):
    i = wp.tid()
    wp.atomic_add(loss, 0, x[i] * (wp.float64(i) + wp.float64(1.0)))


def forward(a):
    run = partial(wp.launch, dim=3)
    x = wp.clone(a)
    y = wp.zeros(3, dtype=wp.float64, requires_grad=True)
    run(sin_kernel, inputs=[x, y])
    run(double_kernel, inputs=[x])
    z = wp.zeros(3, dtype=wp.float64, requires_grad=True)
    run(add_kernel, inputs=[x, y, z])
    loss = wp.zeros(1, dtype=wp.float64, requires_grad=True)
    wp.launch(weighted_sum, dim=3, inputs=[z, loss])
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
