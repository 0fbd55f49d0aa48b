import numpy as np

import warp as wp


@wp.kernel
def update_kernel(a: wp.array[wp.float64], t: wp.array[wp.float64], b: wp.array[wp.float64]):
    i = wp.tid()
    u = a[i] * t[i]
    a[i] = wp.float64(1.0)
    b[i] = u


@wp.kernel
def weighted_sum(x: wp.array[wp.float64], loss: wp.array[wp.float64]):
    i = wp.tid()
    wp.atomic_add(loss, 0, x[i] * (wp.float64(i) + wp.float64(1.0)))


def forward(a, t):
    b = wp.zeros(3, dtype=wp.float64, requires_grad=True)
    wp.launch(update_kernel, dim=3, inputs=[a, t, b])
    loss = wp.zeros(1, dtype=wp.float64, requires_grad=True)
    wp.launch(weighted_sum, dim=b.shape[0], inputs=[b], outputs=[loss])
    return loss


def main():
    a = wp.array([1.5, 2.0, 3.0], dtype=wp.float64, requires_grad=True)
    t = wp.array([0.5, 0.7, 1.1], dtype=wp.float64)

    with wp.Tape() as tape:
        loss = forward(a, t)
    tape.backward(loss)

    print("a.grad:", a.grad.numpy())


if __name__ == "__main__":
    main()
