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


def make(n, grad=True):
    return wp.zeros(n, dtype=wp.float64, requires_grad=grad)


def forward(a):
    y = make(3)
    wp.launch(square, dim=3, inputs=[a, y])
    out = make(3)
    wp.launch(square, dim=3, inputs=[y, out])
    loss = wp.zeros(1, dtype=wp.float64, requires_grad=True)
    wp.launch(wsum, dim=3, inputs=[out, loss])
    return loss


def main():
    a = wp.array([1.5, 1.2, 0.8], dtype=wp.float64, requires_grad=True)
    tape = wp.Tape()
    with tape:
        loss = forward(a)
    tape.backward(loss)
    print("a.grad:", a.grad.numpy())


if __name__ == "__main__":
    main()
