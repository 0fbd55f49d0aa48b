import numpy as np

import warp as wp


@wp.func
def first(x: wp.array(dtype=float), n: int):
    for j in range(n):
        if x[j] < 1.0:
            return x[j] * x[j]
    return x[0]


@wp.kernel
def apply_kernel(x: wp.array(dtype=float), n: int, out: wp.array(dtype=float)):
    i = wp.tid()
    out[i] = first(x, n)


@wp.kernel
def weighted_sum(x: wp.array(dtype=float), loss: wp.array(dtype=float)):
    i = wp.tid()
    wp.atomic_add(loss, 0, x[i] * (float(i) + float(1.0)))


def main():
    x = wp.array(np.array([1.5, 1.2, 0.8]), dtype=float, requires_grad=True)

    with wp.Tape() as tape:
        out = wp.zeros(3, dtype=float, requires_grad=True)
        wp.launch(apply_kernel, dim=3, inputs=[x, 3], outputs=[out])
        loss = wp.zeros(1, dtype=float, requires_grad=True)
        wp.launch(weighted_sum, dim=3, inputs=[out], outputs=[loss])
    tape.backward(loss)

    print("x.grad:", x.grad.numpy())


if __name__ == "__main__":
    main()
