import numpy as np

import warp as wp


@wp.kernel
def evaluate(x: wp.array(dtype=wp.float64), out: wp.array(dtype=wp.float64)):
    i = wp.tid()
    s = x[i] if x[i] > wp.float64(1.0e-6) else wp.float64(wp.float64(1.0))
    out[i] = wp.where(x[i] > wp.float64(1.0e-6), wp.sqrt(s), wp.float64(2.0) * x[i])


@wp.kernel
def weighted_sum(x: wp.array(dtype=wp.float64), loss: wp.array(dtype=wp.float64)):
    i = wp.tid()
    wp.atomic_add(loss, 0, x[i] * (wp.float64(i) + wp.float64(1.0)))


def main():
    x = wp.array([0.0, 1.2, 0.8], dtype=wp.float64, requires_grad=True)

    with wp.Tape() as tape:
        out = wp.zeros(3, dtype=wp.float64, requires_grad=True)
        wp.launch(evaluate, dim=3, inputs=[x], outputs=[out])
        loss = wp.zeros(1, dtype=wp.float64, requires_grad=True)
        wp.launch(weighted_sum, dim=out.shape, inputs=[out], outputs=[loss])
    tape.backward(loss)

    print("x.grad:", x.grad.numpy())


if __name__ == "__main__":
    main()
