import numpy as np

import warp as wp

T = 4


@wp.kernel
def update_kernel(a: wp.array(dtype=wp.float64), out: wp.array(dtype=wp.float64), n: int):
    _ = wp.tid()
    acc = wp.tile_zeros(shape=T, dtype=wp.float64)
    for j in range(n):
        x = wp.tile_load(a, shape=T)
        acc = acc * wp.float64(0.5) + x
    wp.tile_store(out, acc)


@wp.kernel
def weighted_sum(x: wp.array(dtype=wp.float64), loss: wp.array(dtype=wp.float64)):
    i = wp.tid()
    wp.atomic_add(loss, 0, x[i] * (wp.float64(i) + wp.float64(1.0)))


def forward(a):
    out = wp.zeros(4, dtype=wp.float64, requires_grad=True)
    wp.launch_tiled(update_kernel, dim=[1], inputs=[a, out, 3], block_dim=32)
    loss = wp.zeros(1, dtype=wp.float64, requires_grad=True)
    wp.launch(weighted_sum, dim=out.shape[0], inputs=[out], outputs=[loss])
    return loss


def main():
    a = wp.array([1.0, 2.0, 3.0, 4.0], dtype=wp.float64, requires_grad=True)

    tape = wp.Tape()
    with tape:
        loss = forward(a)
    tape.backward(loss)

    print("a.grad:", a.grad.numpy())


if __name__ == "__main__":
    main()
