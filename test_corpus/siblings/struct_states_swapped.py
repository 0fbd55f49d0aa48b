import numpy as np

import warp as wp


@wp.kernel
def wsum(x: wp.array(dtype=wp.float64), loss: wp.array(dtype=wp.float64)):
    i = wp.tid()
    wp.atomic_add(loss, 0, x[i] * (wp.float64(i) + wp.float64(1.0)))


@wp.struct
class St:
    q: wp.array(dtype=wp.float64)
    v: wp.array(dtype=wp.float64)
    k: wp.float64


@wp.kernel
def spring(s: St, o: wp.array(dtype=wp.float64)):
    i = wp.tid()
    o[i] = s.k * s.q[i] * s.q[i] + s.v[i]


@wp.kernel
def advance(s: St, d: wp.array(dtype=wp.float64)):
    i = wp.tid()
    s.q[i] = s.q[i] + d[i]


def main():
    a = wp.array([1.5, 2.0, 3.0], dtype=wp.float64, requires_grad=True)
    s0 = St()
    s1 = St()
    for s in (s0, s1):
        s.q = wp.zeros_like(a)
        s.v = wp.zeros_like(a)
        s.k = 0.3
    loss = wp.zeros(1, dtype=wp.float64, requires_grad=True)
    with wp.Tape() as tape:
        wp.copy(s0.q, a)
        for k in range(3):
            wp.launch(spring, dim=3, inputs=[s0, s1.q])
            s0, s1 = s1, s0
        wp.launch(wsum, dim=3, inputs=[s0.q, loss])
    tape.backward(loss)
    print("a.grad:", a.grad.numpy())


if __name__ == "__main__":
    main()
