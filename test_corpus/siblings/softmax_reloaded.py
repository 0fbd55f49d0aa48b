import numpy as np

import warp as wp


@wp.kernel
def process(x: wp.array(dtype=wp.float64), n: int, e: wp.array(dtype=wp.float64), s: wp.array(dtype=wp.float64), out: wp.array(dtype=wp.float64)):
    i = wp.tid()
    e[i] = wp.exp(x[i])
    t = wp.float64(wp.float64(0.0))
    for j in range(n):
        t += wp.exp(x[j])
    s[i] = t
    out[i] = e[i] / s[i]


@wp.kernel
def weighted_sum(x: wp.array(dtype=wp.float64), loss: wp.array(dtype=wp.float64)):
    i = wp.tid()
    wp.atomic_add(loss, 0, x[i] * (wp.float64(i) + wp.float64(1.0)))


def main():
    x = wp.array([1.5, 1.2, 0.8], dtype=wp.float64, requires_grad=True)

    with wp.Tape() as tape:
        e = wp.zeros(3, dtype=wp.float64, requires_grad=True)
        s = wp.zeros(3, dtype=wp.float64, requires_grad=True)
        out = wp.zeros(3, dtype=wp.float64, requires_grad=True)
        wp.launch(process, dim=3, inputs=[x, 3], outputs=[e, s, out])
        loss = wp.zeros(1, dtype=wp.float64, requires_grad=True)
        wp.launch(weighted_sum, dim=out.shape, inputs=[out], outputs=[loss])
    tape.backward(loss)

    print("x.grad:", x.grad.numpy())


if __name__ == "__main__":
    main()
