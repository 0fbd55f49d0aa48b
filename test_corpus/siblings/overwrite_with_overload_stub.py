import numpy as np
from typing import Any

import warp as wp

@wp.kernel
def step(src: wp.array(dtype=Any), dst: wp.array(dtype=Any)):
    i = wp.tid()
    t = src[i]
    src[i] = t + t
    dst[i] = t * t


@wp.overload
def step(src: wp.array(dtype=wp.float64), dst: wp.array(dtype=wp.float64)): ...


@wp.kernel
def weighted_sum(x: wp.array[wp.float64], loss: wp.array[wp.float64]):
    i = wp.tid()
    wp.atomic_add(loss, 0, x[i] * (wp.float64(i) + wp.float64(1.0)))


def main():
    a = wp.array([1.5, 2.0, 3.0], dtype=wp.float64, requires_grad=True)
    loss = wp.zeros(1, dtype=wp.float64, requires_grad=True)
    tape = wp.Tape()
    with tape:
        x = wp.zeros(3, dtype=wp.float64, requires_grad=True)
        wp.launch(step, dim=3, inputs=[a, x])
        wp.launch(weighted_sum, dim=3, inputs=[x, loss])
    tape.backward(loss)
    print("a.grad:", a.grad.numpy())


if __name__ == "__main__":
    main()
