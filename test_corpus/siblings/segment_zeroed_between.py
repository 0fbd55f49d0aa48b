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


def advance(x, k, steps):
    for _ in range(steps):
        y = wp.zeros_like(x)
        wp.launch(evolve, dim=N, inputs=[x, k, y])
        x = y
    return x


def main(a0, k0):
    a = wp.array(a0, dtype=wp.float64, requires_grad=True)
    k = wp.array(k0, dtype=wp.float64, requires_grad=True)
    middle = wp.clone(advance(a, k, 2), requires_grad=True)
    late = wp.Tape()
    loss = wp.zeros(1, dtype=wp.float64, requires_grad=True)
    with late:
        wp.launch(total, dim=N, inputs=[advance(middle, k, 2), loss])
    late.backward(loss)
    late.zero()
    early = wp.Tape()
    with early:
        end = advance(a, k, 2)
    early.backward(grads={end: middle.grad})
    return a.grad.numpy(), k.grad.numpy()


def value(a0, k0):
    loss = wp.zeros(1, dtype=wp.float64)
    k = wp.array(k0, dtype=wp.float64)
    wp.launch(total, dim=N, inputs=[advance(wp.array(a0, dtype=wp.float64), k, 4), loss])
    return loss.numpy()[0]


A0 = [1.5, 0.7, -1.1]
K0 = [0.3]


if __name__ == "__main__":
    for name, gradient in zip(("a", "k"), main(np.array(A0), np.array(K0))):
        print(f"{name}.grad:", gradient)
