import numpy as np

import warp as wp


@wp.kernel
def sine(src: wp.array(dtype=wp.float64), dst: wp.array(dtype=wp.float64)):
    i = wp.tid()
    dst[i] = wp.sin(src[i])


@wp.kernel
def wsum(x: wp.array(dtype=wp.float64), loss: wp.array(dtype=wp.float64)):
    i = wp.tid()
    wp.atomic_add(loss, 0, x[i] * (wp.float64(i) + wp.float64(1.0)))


def main():
    a = wp.array([1.5, 2.0, 3.0], dtype=wp.float64, requires_grad=True)
    pool = tuple(wp.zeros_like(a) for _ in range(4))
    loss = wp.zeros(1, dtype=wp.float64, requires_grad=True)
    x = a
    tape = wp.Tape()
    with tape:
        for k in range(4):
            y = pool[k % 4]
            wp.launch(sine, dim=3, inputs=[x], outputs=[y])
            x = y
        wp.launch(wsum, dim=3, inputs=[x, loss])
    tape.backward(loss)
    print("a.grad:", a.grad.numpy())


if __name__ == "__main__":
    main()
