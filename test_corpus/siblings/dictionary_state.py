import numpy as np

import warp as wp


@wp.kernel
def sine(src: wp.array[wp.float64], dst: wp.array[wp.float64]):
    i = wp.tid()
    dst[i] = wp.sin(src[i])


@wp.kernel
def wsum(x: wp.array[wp.float64], loss: wp.array[wp.float64]):
    i = wp.tid()
    wp.atomic_add(loss, 0, x[i] * (wp.float64(i) + wp.float64(1.0)))


def main():
    a = wp.array([1.5, 2.0, 3.0], dtype=wp.float64, requires_grad=True)
    st = {"x": wp.zeros_like(a), "tmp": wp.zeros_like(a)}
    loss = wp.zeros(1, dtype=wp.float64, requires_grad=True)
    tape = wp.Tape()
    with tape:
        wp.copy(st["x"], a)
        for k in range(2):
            wp.launch(sine, dim=3, inputs=[st["x"]], outputs=[st["tmp"]])
            wp.copy(st["x"], st["tmp"])
        wp.launch(wsum, dim=3, inputs=[st["x"], loss])
    tape.backward(loss)
    print("a.grad:", a.grad.numpy())


if __name__ == "__main__":
    main()
