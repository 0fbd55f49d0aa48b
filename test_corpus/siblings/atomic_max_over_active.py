import numpy as np

import warp as wp


@wp.kernel
def process(a: wp.array(dtype=wp.float64), b: wp.array(dtype=wp.float64)):
    i = wp.tid()
    wp.atomic_max(a, i, b[i])


@wp.kernel
def weighted_sum(x: wp.array(dtype=wp.float64), loss: wp.array(dtype=wp.float64)):
    i = wp.tid()
    wp.atomic_add(loss, 0, x[i] * (wp.float64(i) + wp.float64(1.0)))


def main():
    a = wp.array([1.5, 1.2, 0.8], dtype=wp.float64, requires_grad=True)
    b = wp.array([0.5, 0.7, 1.1], dtype=wp.float64, requires_grad=True)

    with wp.Tape() as tape:
        wp.launch(process, dim=3, inputs=[a, b])
        loss = wp.zeros(1, dtype=wp.float64, requires_grad=True)
        wp.launch(weighted_sum, dim=a.shape, inputs=[a], outputs=[loss])
    tape.backward(loss)

    print("a.grad:", a.grad.numpy())
    print("b.grad:", b.grad.numpy())


if __name__ == "__main__":
    main()
