import numpy as np
from collections import deque

import warp as wp


@wp.kernel
def evolve(s: wp.array[wp.float64], k: wp.array[wp.float64], d: wp.array[wp.float64]):
    i = wp.tid()
    d[i] = s[i] + wp.sin(s[i]) * k[0]


@wp.kernel
def weighted_sum(x: wp.array[wp.float64], loss: wp.array[wp.float64]):
    i = wp.tid()
    wp.atomic_add(loss, 0, x[i] * (wp.float64(i) + wp.float64(1.0)))


def forward(a, k):
    ring = deque([wp.clone(a), wp.zeros(3, dtype=wp.float64, requires_grad=True)])
    for _ in range(3):
        wp.launch(evolve, dim=3, inputs=[ring[0], k], outputs=[ring[1]])
        ring.rotate(1)
    x = ring[0]
    loss = wp.zeros(1, dtype=wp.float64, requires_grad=True)
    wp.launch(weighted_sum, dim=3, inputs=[x, loss])
    return loss


def main():
    a = wp.array([1.5, 2.0, 3.0], dtype=wp.float64, requires_grad=True)
    k = wp.array([0.3], dtype=wp.float64, requires_grad=True)

    tape = wp.Tape()
    with tape:
        loss = forward(a, k)
    tape.backward(loss)
    print("a.grad:", a.grad.numpy())
    print("k.grad:", k.grad.numpy())


if __name__ == "__main__":
    main()
