import numpy as np

import warp as wp


@wp.kernel
def run_step(p: wp.array[wp.vec3d], e: wp.array[int], out: wp.array[wp.float64]):
    i = wp.tid()
    a = e[i]
    b = e[i + 1]
    d = p[a] - p[b]
    out[i] = wp.sqrt(wp.dot(d, d))


@wp.kernel
def weighted_sum(x: wp.array[wp.float64], loss: wp.array[wp.float64]):
    i = wp.tid()
    wp.atomic_add(loss, 0, x[i] * (wp.float64(i) + wp.float64(1.0)))


def forward(p, e):
    out = wp.zeros(3, dtype=wp.float64, requires_grad=True)
    wp.launch(run_step, dim=2, inputs=[p, e, out])
    loss = wp.zeros(1, dtype=wp.float64, requires_grad=True)
    wp.launch(weighted_sum, dim=out.shape, inputs=[out, loss])
    return loss


def main():
    p = wp.array([[1.0, -2.0, 3.0], [4.0, 5.0, 6.0], [1.2, -0.3, 0.9]], dtype=wp.vec3d, requires_grad=True)
    e = wp.array([0, 1, 2, 0], dtype=int)

    tape = wp.Tape()
    with tape:
        loss = forward(p, e)
    tape.backward(loss)

    print("p.grad:", p.grad.numpy())


if __name__ == "__main__":
    main()
