import numpy as np

import warp as wp


@wp.kernel
def compute(x: wp.array(dtype=wp.float64), n: int, out: wp.array(dtype=wp.float64)):
    i = wp.tid()
    for j in range(n):
        if x[j] < wp.float64(1.0):
            out[i] = x[j] * x[j]
            return
    out[i] = x[0]


@wp.kernel
def weighted_sum(x: wp.array(dtype=wp.float64), loss: wp.array(dtype=wp.float64)):
    i = wp.tid()
    wp.atomic_add(loss, 0, x[i] * (wp.float64(i) + wp.float64(1.0)))


def main():
    x = wp.array(np.array([1.5, 1.2, 0.8]), dtype=wp.float64, requires_grad=True)

    with wp.Tape() as tape:
        out = wp.zeros(3, dtype=wp.float64, requires_grad=True)
        wp.launch(compute, dim=3, inputs=[x, 3], outputs=[out])
        loss = wp.zeros(1, dtype=wp.float64, requires_grad=True)
        wp.launch(weighted_sum, dim=3, inputs=[out], outputs=[loss])
    tape.backward(loss)

    print("x.grad:", x.grad.numpy())


if __name__ == "__main__":
    main()
