import numpy as np

import warp as wp


@wp.kernel
def apply_kernel(x: wp.array(dtype=wp.float64), y: wp.array(dtype=wp.float64), out: wp.array(dtype=wp.float64)):
    i = wp.tid()
    r = y[i] / x[i]
    if x[i] == wp.float64(0.0):
        r = wp.float64(wp.float64(0.0))
    out[i] = r


@wp.kernel
def weighted_sum(x: wp.array(dtype=wp.float64), loss: wp.array(dtype=wp.float64)):
    i = wp.tid()
    wp.atomic_add(loss, 0, x[i] * (wp.float64(i) + wp.float64(1.0)))


def main():
    x = wp.array([0.0, 1.2, 0.8], dtype=wp.float64, requires_grad=True)
    y = wp.array([1.5, 1.2, 0.8], dtype=wp.float64, requires_grad=True)

    with wp.Tape() as tape:
        out = wp.zeros(3, dtype=wp.float64, requires_grad=True)
        wp.launch(apply_kernel, dim=3, inputs=[x, y], outputs=[out])
        loss = wp.zeros(1, dtype=wp.float64, requires_grad=True)
        wp.launch(weighted_sum, dim=out.shape, inputs=[out], outputs=[loss])
    tape.backward(loss)

    print("x.grad:", x.grad.numpy())
    print("y.grad:", y.grad.numpy())


if __name__ == "__main__":
    main()
