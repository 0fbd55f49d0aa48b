import numpy as np

import warp as wp

@wp.kernel
def peak(src: wp.array[wp.float64], m: wp.array[wp.float64]):
    i = wp.tid()
    wp.atomic_max(m, 0, src[i])


@wp.kernel
def peak_min(src: wp.array[wp.float64], m: wp.array[wp.float64]):
    i = wp.tid()
    wp.atomic_min(m, 0, src[i])


@wp.kernel
def use(m: wp.array[wp.float64], dst: wp.array[wp.float64]):
    i = wp.tid()
    dst[i] = m[0] * wp.float64(2.0)


@wp.kernel
def weighted_sum(x: wp.array[wp.float64], loss: wp.array[wp.float64]):
    i = wp.tid()
    wp.atomic_add(loss, 0, x[i] * (wp.float64(i) + wp.float64(1.0)))


def main():
    a = wp.array([1.5, 2.0, 3.0], dtype=wp.float64, requires_grad=True)
    b = wp.array([4.5, 2.5, 3.5], dtype=wp.float64, requires_grad=True)
    m = wp.zeros(1, dtype=wp.float64, requires_grad=True)
    o = wp.zeros(3, dtype=wp.float64, requires_grad=True)
    loss = wp.zeros(1, dtype=wp.float64, requires_grad=True)
    with wp.Tape() as tape:
        wp.launch(peak, dim=3, inputs=[a, m])
        wp.launch(use, dim=3, inputs=[m, o])
        wp.launch(peak, dim=3, inputs=[b, m])

        wp.launch(weighted_sum, dim=3, inputs=[o, loss])
    tape.backward(loss)
    print("a.grad:", a.grad.numpy())
    print("b.grad:", b.grad.numpy())


if __name__ == "__main__":
    main()
