import numpy as np

import warp as wp

N = 3


@wp.kernel
def evolve(s: wp.array[wp.float64], k: wp.array[wp.float64], d: wp.array[wp.float64]):
    i = wp.tid()
    d[i] = s[i] + wp.sin(s[i]) * k[0]


@wp.kernel
def total(x: wp.array[wp.float64], loss: wp.array[wp.float64]):
    i = wp.tid()
    wp.atomic_add(loss, 0, x[i] * (wp.float64(i) + wp.float64(1.0)))


def forward(a, k):
    flat = wp.zeros(4 * N, dtype=wp.float64, requires_grad=True)
    rows = flat.reshape((4, N))
    wp.copy(rows[0], a)
    for t in range(3):
        wp.launch(evolve, dim=N, inputs=[rows[t], k, rows[t + 1]])
    loss = wp.zeros(1, dtype=wp.float64, requires_grad=True)
    wp.launch(total, dim=N, inputs=[flat[3 * N :], loss])
    return loss


def main(a0, k0):
    a = wp.array(a0, dtype=wp.float64, requires_grad=True)
    k = wp.array(k0, dtype=wp.float64, requires_grad=True)
    with wp.Tape() as tape:
        loss = forward(a, k)
    tape.backward(loss)
    return a.grad.numpy(), k.grad.numpy()


def value(a0, k0):
    return forward(wp.array(a0, dtype=wp.float64, requires_grad=True), wp.array(k0, dtype=wp.float64, requires_grad=True)).numpy()[0]


A0 = [1.5, 0.7, -1.1]
K0 = [0.3]


if __name__ == "__main__":
    for name, gradient in zip(("a", "k"), main(np.array(A0), np.array(K0))):
        print(f"{name}.grad:", gradient)
