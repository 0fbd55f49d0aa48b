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


def forward(a, k, rows):
    x = wp.zeros((rows, N), dtype=wp.float64, requires_grad=True)
    wp.copy(x[0], a)
    t = 0
    for _ in range(4):
        now, then = x[t % rows], x[(t + 1) % rows]
        wp.launch(evolve, dim=N, inputs=[now, k, then])
        t += 1
    loss = wp.zeros(1, dtype=wp.float64, requires_grad=True)
    wp.launch(total, dim=N, inputs=[x[t % rows], loss])
    return loss


def main(a0, k0):
    a = wp.array(a0, dtype=wp.float64, requires_grad=True)
    k = wp.array(k0, dtype=wp.float64, requires_grad=True)
    with wp.Tape() as tape:
        loss = forward(a, k, 4)
    tape.backward(loss)
    return a.grad.numpy(), k.grad.numpy()


def value(a0, k0):
    return forward(wp.array(a0, dtype=wp.float64, requires_grad=True), wp.array(k0, dtype=wp.float64, requires_grad=True), 4).numpy()[0]


A0 = [1.5, 0.7, -1.1]
K0 = [0.3]


if __name__ == "__main__":
    for name, gradient in zip(("a", "k"), main(np.array(A0), np.array(K0))):
        print(f"{name}.grad:", gradient)
