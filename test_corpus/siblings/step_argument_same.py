import numpy as np

import warp as wp


@wp.kernel
def wsum(x: wp.array[float], loss: wp.array[float]):
    i = wp.tid()
    wp.atomic_add(loss, 0, x[i] * (float(i) + float(1.0)))


@wp.kernel
def stepk(h: wp.array2d[float], k: int):
    i = wp.tid()
    h[k, i] = wp.sin(h[k, i])


def main():
    a = wp.array([1.5, 2.0, 3.0], dtype=float, requires_grad=True)
    h = wp.zeros((4, 3), dtype=float, requires_grad=True)
    loss = wp.zeros(1, dtype=float, requires_grad=True)
    tape = wp.Tape()
    with tape:
        wp.copy(h[0], a)
        for k in range(3):
            wp.launch(stepk, dim=3, inputs=[h, 0])
        wp.launch(wsum, dim=3, inputs=[h[0], loss])
    tape.backward(loss)
    print("a.grad:", a.grad.numpy())


if __name__ == "__main__":
    main()
