import numpy as np

import warp as wp


@wp.kernel
def square(src: wp.array[float], dst: wp.array[float]):
    i = wp.tid()
    dst[i] = src[i] * src[i]


@wp.kernel
def sine(src: wp.array[float], dst: wp.array[float]):
    i = wp.tid()
    dst[i] = wp.sin(src[i])


@wp.kernel
def setc(dst: wp.array[float]):
    i = wp.tid()
    dst[i] = float(5.0)


@wp.kernel
def wsum(x: wp.array[float], loss: wp.array[float]):
    i = wp.tid()
    wp.atomic_add(loss, 0, x[i] * (float(i) + float(1.0)))


def main():
    a = wp.array([1.5, 2.0, 3.0], dtype=float, requires_grad=True)
    y = wp.zeros((3, 2), dtype=float, requires_grad=True)
    z = wp.zeros_like(a)
    loss = wp.zeros(1, dtype=float, requires_grad=True)
    with wp.Tape() as tape:
        wp.launch(square, dim=3, inputs=[a, y[:, 1]])
        wp.launch(sine, dim=3, inputs=[y[:, 1], z])
        wp.launch(setc, dim=3, inputs=[y[:, 0]])
        wp.launch(wsum, dim=3, inputs=[z, loss])
    tape.backward(loss)
    print("a.grad:", a.grad.numpy())


if __name__ == "__main__":
    main()
