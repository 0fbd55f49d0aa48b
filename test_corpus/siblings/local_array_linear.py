import numpy as np

import warp as wp


@wp.kernel
def process(x: wp.array[wp.float64], y: wp.array[wp.float64], out: wp.array[wp.float64]):
    i = wp.tid()
    t = wp.zeros(shape=(3,), dtype=wp.float64)
    for j in range(3):
        t[j] = x[j] * y[i]
    out[i] = t[0] + wp.float64(2.0) * t[1] + t[2]


@wp.kernel
def weighted_sum(x: wp.array[wp.float64], loss: wp.array[wp.float64]):
    i = wp.tid()
    wp.atomic_add(loss, 0, x[i] * (wp.float64(i) + wp.float64(1.0)))


def forward(x, y):
    out = wp.zeros(3, dtype=wp.float64, requires_grad=True)
    wp.launch(process, dim=3, inputs=[x, y, out])
    loss = wp.zeros(1, dtype=wp.float64, requires_grad=True)
    wp.launch(weighted_sum, dim=out.shape, inputs=[out, loss])
    return loss


def main():
    x = wp.array([1.5, 1.2, 0.8], dtype=wp.float64, requires_grad=True)
    y = wp.array([0.5, 0.7, 1.1], dtype=wp.float64, requires_grad=True)

    tape = wp.Tape()
    with tape:
        loss = forward(x, y)
    tape.backward(loss)

    print("x.grad:", x.grad.numpy())
    print("y.grad:", y.grad.numpy())


if __name__ == "__main__":
    main()
