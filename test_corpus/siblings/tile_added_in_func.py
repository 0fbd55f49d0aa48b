import numpy as np

import warp as wp

from typing import Any

T = 4


@wp.func
def bump(x: Any, y: Any):
    x += y


@wp.kernel
def update_kernel(a: wp.array[wp.float64], b: wp.array[wp.float64], out: wp.array[wp.float64]):
    _ = wp.tid()
    x = wp.tile_load(a, shape=T)
    y = wp.tile_load(b, shape=T)
    z = x * x
    bump(x, y)
    wp.tile_store(out, z + x)


@wp.kernel
def weighted_sum(x: wp.array[wp.float64], loss: wp.array[wp.float64]):
    i = wp.tid()
    wp.atomic_add(loss, 0, x[i] * (wp.float64(i) + wp.float64(1.0)))


def forward(a, b):
    out = wp.zeros(4, dtype=wp.float64, requires_grad=True)
    wp.launch_tiled(update_kernel, dim=[1], inputs=[a, b], outputs=[out], block_dim=32)
    loss = wp.zeros(1, dtype=wp.float64, requires_grad=True)
    wp.launch(weighted_sum, dim=out.shape[0], inputs=[out], outputs=[loss])
    return loss


def main():
    a = wp.array([1.0, 2.0, 3.0, 4.0], dtype=wp.float64, requires_grad=True)
    b = wp.array([0.5, 0.8, 1.1, 1.4], dtype=wp.float64, requires_grad=True)

    tape = wp.Tape()
    with tape:
        loss = forward(a, b)
    tape.backward(loss)

    print("a.grad:", a.grad.numpy())
    print("b.grad:", b.grad.numpy())


if __name__ == "__main__":
    main()
