import numpy as np

import warp as wp

N = 3


@wp.kernel
def times(x: wp.array[wp.float64], k: wp.array[wp.float64], y: wp.array[wp.float64]):
    i = wp.tid()
    y[i] = x[i] * k[0]


@wp.kernel
def scale(x: wp.array[wp.float64], c: wp.float64, y: wp.array[wp.float64]):
    i = wp.tid()
    y[i] = x[i] * c


@wp.kernel
def sine(x: wp.array[wp.float64], y: wp.array[wp.float64]):
    i = wp.tid()
    y[i] = wp.sin(x[i])


@wp.kernel
def total(x: wp.array[wp.float64], loss: wp.array[wp.float64]):
    i = wp.tid()
    wp.atomic_add(loss, 0, x[i] * (wp.float64(i) + wp.float64(1.0)))


def forward(a, k):
    table = wp.zeros((N, 2), dtype=wp.float64, requires_grad=True)
    left, right = table[:, 0], table[:, 1]
    wp.launch(scale, dim=N, inputs=[a, 1.0, left])
    wp.launch(times, dim=N, inputs=[left, k, right])
    out = wp.zeros_like(a)
    wp.launch(sine, dim=N, inputs=[right, out])
    table[:, 0].fill_(2.0)
    loss = wp.zeros(1, dtype=wp.float64, requires_grad=True)
    wp.launch(total, dim=N, inputs=[out, loss])
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
