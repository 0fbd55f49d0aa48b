import numpy as np

import warp as wp


@wp.kernel
def wsum(x: wp.array[float], loss: wp.array[float]):
    i = wp.tid()
    wp.atomic_add(loss, 0, x[i] * (float(i) + float(1.0)))


@wp.struct
class St:
    q: wp.array[float]
    v: wp.array[float]
    k: float


@wp.kernel
def spring(s: St, o: wp.array[float]):
    i = wp.tid()
    o[i] = s.k * s.q[i] * s.q[i] + s.v[i]


@wp.kernel
def advance(s: St, d: wp.array[float]):
    i = wp.tid()
    s.q[i] = s.q[i] + d[i]


def main():
    a = wp.array([1.5, 2.0, 3.0], dtype=float, requires_grad=True)
    states = []
    for k in range(3):
        s = St()
        s.q = wp.zeros_like(a)
        s.v = wp.zeros_like(a)
        s.k = 0.3
        states.append(s)
    loss = wp.zeros(1, dtype=float, requires_grad=True)
    with wp.Tape() as tape:
        wp.copy(states[0].q, a)
        for k in range(2):
            wp.launch(spring, dim=3, inputs=[states[k], states[k + 1].q])
        wp.launch(wsum, dim=3, inputs=[states[2].q, loss])
    tape.backward(loss)
    print("a.grad:", a.grad.numpy())


if __name__ == "__main__":
    main()
