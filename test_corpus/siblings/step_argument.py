import numpy as np

import warp as wp


@wp.kernel
def wsum(x: wp.array(dtype=wp.float64), loss: wp.array(dtype=wp.float64)):
    i = wp.tid()
    wp.atomic_add(loss, 0, x[i] * (wp.float64(i) + wp.float64(1.0)))


@wp.kernel
def stepk(h: wp.array2d(dtype=wp.float64), k: int):
    i = wp.tid()
    h[k + 1, i] = wp.sin(h[k, i])


def main():
    a = wp.array([1.5, 2.0, 3.0], dtype=wp.float64, requires_grad=True)
    h = wp.zeros((4, 3), dtype=wp.float64, requires_grad=True)
    loss = wp.zeros(1, dtype=wp.float64, requires_grad=True)
    tape = wp.Tape()
    with tape:
        wp.copy(h[0], a)
        for k in range(3):
            wp.launch(stepk, dim=3, inputs=[h, k])
        wp.launch(wsum, dim=3, inputs=[h[3], loss])
    tape.backward(loss)
    print("a.grad:", a.grad.numpy())


if __name__ == "__main__":
    main()
