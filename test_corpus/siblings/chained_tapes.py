import numpy as np

import warp as wp


@wp.kernel
def square(src: wp.array[float], dst: wp.array[float]):
    i = wp.tid()
    dst[i] = src[i] * src[i]


@wp.kernel
def wsum(x: wp.array[float], loss: wp.array[float]):
    i = wp.tid()
    wp.atomic_add(loss, 0, x[i] * (float(i) + float(1.0)))


def main():
    a = wp.array([1.5, 2.0, 3.0], dtype=float, requires_grad=True)
    y = wp.zeros_like(a)
    z = wp.zeros_like(a)
    loss = wp.zeros(1, dtype=float, requires_grad=True)
    t1 = wp.Tape()
    t2 = wp.Tape()
    with t1:
        wp.launch(square, dim=3, inputs=[a, y])
    with t2:
        wp.launch(square, dim=3, inputs=[y, z])
        wp.launch(wsum, dim=3, inputs=[z, loss])
    t2.backward(loss)
    t1.backward(grads={y: y.grad})
    print("a.grad:", a.grad.numpy())


if __name__ == "__main__":
    main()
