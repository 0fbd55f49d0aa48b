import numpy as np

import warp as wp


@wp.kernel
def square(src: wp.array(dtype=wp.float64), dst: wp.array(dtype=wp.float64)):
    i = wp.tid()
    dst[i] = src[i] * src[i]


@wp.kernel
def wsum(x: wp.array(dtype=wp.float64), loss: wp.array(dtype=wp.float64)):
    i = wp.tid()
    wp.atomic_add(loss, 0, x[i] * (wp.float64(i) + wp.float64(1.0)))


def main():
    a = wp.array([1.5, 2.0, 3.0], dtype=wp.float64, requires_grad=True)
    y = wp.zeros_like(a)
    z = wp.zeros_like(a)
    loss = wp.zeros(1, dtype=wp.float64, requires_grad=True)
    y.assign(a.numpy())
    with wp.Tape() as tape:
        wp.launch(square, dim=3, inputs=[y, z])
        wp.launch(wsum, dim=3, inputs=[z, loss])
    tape.backward(loss)
    print("a.grad:", a.grad.numpy())


if __name__ == "__main__":
    main()
