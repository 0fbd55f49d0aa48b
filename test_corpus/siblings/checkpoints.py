import numpy as np

import warp as wp


@wp.kernel
def sine(src: wp.array(dtype=wp.float64), dst: wp.array(dtype=wp.float64)):
    i = wp.tid()
    dst[i] = wp.sin(src[i])


@wp.kernel
def wsum(x: wp.array(dtype=wp.float64), loss: wp.array(dtype=wp.float64)):
    i = wp.tid()
    wp.atomic_add(loss, 0, x[i] * (wp.float64(i) + wp.float64(1.0)))


def main():
    a = wp.array([1.5, 2.0, 3.0], dtype=wp.float64, requires_grad=True)
    n = 3
    cps = [wp.zeros_like(a) for _ in range(n + 1)]
    wp.copy(cps[0], a)
    for k in range(n):
        wp.launch(sine, dim=3, inputs=[cps[k], cps[k + 1]])
    loss = wp.zeros(1, dtype=wp.float64, requires_grad=True)
    with wp.Tape() as tl:
        wp.launch(wsum, dim=3, inputs=[cps[n], loss])
    tl.backward(loss)
    for k in reversed(range(n)):
        out = wp.zeros_like(a)
        with wp.Tape() as tape:
            wp.launch(sine, dim=3, inputs=[cps[k], out])
        tape.backward(grads={out: cps[k + 1].grad})
    with wp.Tape() as tc:
        c0 = wp.zeros_like(a)
        wp.copy(c0, a)
    tc.backward(grads={c0: cps[0].grad})
    print("a.grad:", a.grad.numpy())


if __name__ == "__main__":
    main()
