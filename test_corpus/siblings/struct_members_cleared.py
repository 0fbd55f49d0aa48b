import numpy as np

import warp as wp

N = 3


@wp.kernel
def total(x: wp.array[wp.float64], loss: wp.array[wp.float64]):
    i = wp.tid()
    wp.atomic_add(loss, 0, x[i] * (wp.float64(i) + wp.float64(1.0)))


@wp.struct
class State:
    q: wp.array[wp.float64]
    v: wp.array[wp.float64]


@wp.kernel
def move(s: State, k: wp.array[wp.float64], d: State):
    i = wp.tid()
    d.v[i] = s.v[i] - s.q[i] * k[0]
    d.q[i] = s.q[i] + wp.float64(0.1) * s.v[i] * s.v[i]


def forward(a, k):
    first, second = State(), State()
    first.q, first.v = wp.clone(a), wp.zeros_like(a)
    second.q, second.v = wp.zeros_like(a), wp.zeros_like(a)
    wp.launch(move, dim=N, inputs=[first, k, second])
    wp.launch(move, dim=N, inputs=[second, k, first])
    loss = wp.zeros(1, dtype=wp.float64, requires_grad=True)
    wp.launch(total, dim=N, inputs=[first.q, loss])
    return loss


def main(a0, k0):
    a = wp.array(a0, dtype=wp.float64, requires_grad=True)
    k = wp.array(k0, dtype=wp.float64, requires_grad=True)
    with wp.Tape() as tape:
        loss = forward(a, k)
    tape.backward(loss)
    return a.grad.numpy(), k.grad.numpy()


def value(a0, k0):
    return forward(wp.array(a0, dtype=wp.float64), wp.array(k0, dtype=wp.float64)).numpy()[0]


A0 = [1.5, 0.7, -1.1]
K0 = [0.3]


if __name__ == "__main__":
    for name, gradient in zip(("a", "k"), main(np.array(A0), np.array(K0))):
        print(f"{name}.grad:", gradient)
