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


def main():
    a = wp.array([1.5, 2.0, 3.0], dtype=wp.float64, requires_grad=True)
    for it in range(2):
        b = wp.array(a.numpy(), dtype=wp.float64, requires_grad=True)
        z = wp.zeros_like(a)
        loss = wp.zeros(1, dtype=wp.float64, requires_grad=True)
        with wp.Tape() as tape:
            wp.launch(square, dim=3, inputs=[b, z])
            wp.launch(wsum, dim=3, inputs=[z, loss])
        tape.backward(loss)
        print("b.grad:", b.grad.numpy())
        a.assign(a.numpy() - 0.0 * b.grad.numpy())


if __name__ == "__main__":
    main()
