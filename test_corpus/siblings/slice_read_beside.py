import numpy as np

import warp as wp


@wp.kernel
def compute(x: wp.array[wp.float64], y: wp.array[wp.float64], out: wp.array[wp.float64]):
    i = wp.tid()
    s = x[1:]
    if i == 0:
        out[i] = s[i] * s[i]
        x[i] = wp.float64(1.0)


@wp.kernel
def weighted_sum(x: wp.array[wp.float64], loss: wp.array[wp.float64]):
    i = wp.tid()
    wp.atomic_add(loss, 0, x[i] * (wp.float64(i) + wp.float64(1.0)))


def forward(x, y):
    out = wp.zeros(3, dtype=wp.float64, requires_grad=True)
    wp.launch(compute, dim=3, inputs=[x, y], outputs=[out])
    loss = wp.zeros(1, dtype=wp.float64, requires_grad=True)
    wp.launch(weighted_sum, dim=out.shape[0], inputs=[out], outputs=[loss])
    return loss


def main():
    x = wp.array([1.5, 2.0, 3.0], dtype=wp.float64, requires_grad=True)
    y = wp.array([0.5, 0.7, 1.1], dtype=wp.float64, requires_grad=True)

    tape = wp.Tape()
    with tape:
        loss = forward(x, y)
    tape.backward(loss)

    print("x.grad:", x.grad.numpy())
    print("y.grad:", y.grad.numpy())


if __name__ == "__main__":
    main()
