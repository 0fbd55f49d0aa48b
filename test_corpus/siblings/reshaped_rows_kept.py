import numpy as np

import warp as wp

N = 3


@wp.kernel
def row_step(x: wp.array2d[wp.float64], k: wp.array[wp.float64], t: int):
    i = wp.tid()
    x[t + 1, i] = x[t, i] + wp.sin(x[t, i]) * k[0]


@wp.kernel
def row_total(x: wp.array2d[wp.float64], t: int, loss: wp.array[wp.float64]):
    i = wp.tid()
    wp.atomic_add(loss, 0, x[t, i] * (wp.float64(i) + wp.float64(1.0)))


def forward(a, k):
    flat = wp.zeros(3 * N, dtype=wp.float64, requires_grad=True)
    rows = flat.reshape((3, N))
    wp.copy(flat, a, count=N)
    for t in range(2):
        wp.launch(row_step, dim=N, inputs=[rows, k, t])
    loss = wp.zeros(1, dtype=wp.float64, requires_grad=True)
    wp.launch(row_total, dim=N, inputs=[rows, 2, loss])
    flat[2 * N :].zero_()
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
