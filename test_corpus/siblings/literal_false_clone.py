import numpy as np

import warp as wp


@wp.kernel
def square(src: wp.array[wp.float64], dst: wp.array[wp.float64]):
    i = wp.tid()
    dst[i] = src[i] * src[i]


@wp.kernel
def wsum(x: wp.array[wp.float64], loss: wp.array[wp.float64]):
    i = wp.tid()
    wp.atomic_add(loss, 0, x[i] * (wp.float64(i) + wp.float64(1.0)))


def forward(a):
    y = wp.clone(a, requires_grad=False)
    out = wp.zeros_like(a)
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
