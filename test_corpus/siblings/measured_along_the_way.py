import numpy as np

import warp as wp

N = 3


@wp.kernel
def evolve(s: wp.array[wp.float64], k: wp.array[wp.float64], d: wp.array[wp.float64]):
    i = wp.tid()
    d[i] = s[i] + wp.sin(s[i]) * k[0]


@wp.kernel
def total_square(x: wp.array[wp.float64], loss: wp.array[wp.float64]):
    i = wp.tid()
    wp.atomic_add(loss, 0, x[i] * x[i])


def forward(a, k):
    xs = [wp.clone(a)]
    loss = wp.zeros(1, dtype=wp.float64, requires_grad=True)
    for _ in range(3):
        xs.append(wp.zeros_like(a))
        wp.launch(evolve, dim=N, inputs=[xs[-2], k, xs[-1]])
        wp.launch(total_square, dim=N, inputs=[xs[-1], loss])
    xs[0] = xs[-1]
    return loss, xs


def main(a0, k0):
    a = wp.array(a0, dtype=wp.float64, requires_grad=True)
    k = wp.array(k0, dtype=wp.float64, requires_grad=True)
    with wp.Tape() as tape:
        loss, xs = forward(a, k)
    tape.backward(loss)
    xs[0].zero_()
    return a.grad.numpy(), k.grad.numpy()


def value(a0, k0):
    return forward(wp.array(a0, dtype=wp.float64), wp.array(k0, dtype=wp.float64))[0].numpy()[0]


A0 = [1.5, 0.7, -1.1]
K0 = [0.3]


if __name__ == "__main__":
    for name, gradient in zip(("a", "k"), main(np.array(A0), np.array(K0))):
        print(f"{name}.grad:", gradient)
