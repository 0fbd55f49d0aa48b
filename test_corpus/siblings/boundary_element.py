import numpy as np

import warp as wp


@wp.kernel
def process(a: wp.array(dtype=wp.float64), b: wp.array(dtype=wp.float64)):
    i = wp.tid()
    b[i] = a[i] * a[i]
    if i == 0:
        a[0] = wp.float64(1.0)


@wp.kernel
def weighted_sum(x: wp.array(dtype=wp.float64), loss: wp.array(dtype=wp.float64)):
    i = wp.tid()
    wp.atomic_add(loss, 0, x[i] * (wp.float64(i) + wp.float64(1.0)))


def forward(a):
    b = wp.zeros(3, dtype=wp.float64, requires_grad=True)
    wp.launch(process, dim=3, inputs=[a, b])
    loss = wp.zeros(1, dtype=wp.float64, requires_grad=True)
    wp.launch(weighted_sum, dim=b.shape[0], inputs=[b], outputs=[loss])
    return loss


def main():
    a = wp.array([1.5, 2.0, 3.0], dtype=wp.float64, requires_grad=True)

    with wp.Tape() as tape:
        loss = forward(a)
    tape.backward(loss)

    print("a.grad:", a.grad.numpy())


if __name__ == "__main__":
    main()
