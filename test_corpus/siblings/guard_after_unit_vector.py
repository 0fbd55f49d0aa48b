import numpy as np

import warp as wp


@wp.kernel
def process(p: wp.array[wp.vec3d], out: wp.array[wp.vec3d]):
    i = wp.tid()
    v = p[i]
    l = wp.length(v)
    n = v / l
    if l < wp.float64(1.0e-6):
        n = wp.vec3d(wp.float64(0.0))
    out[i] = n


@wp.kernel
def weighted_sum_v(x: wp.array[wp.vec3d], loss: wp.array[wp.float64]):
    i = wp.tid()
    v = x[i]
    wp.atomic_add(loss, 0, v[0] * (wp.float64(i) + wp.float64(1.0)) + v[1] * wp.float64(0.7) + v[2] * wp.float64(-1.3))


def forward(p):
    out = wp.zeros(3, dtype=wp.vec3d, requires_grad=True)
    wp.launch(process, dim=3, inputs=[p, out])
    loss = wp.zeros(1, dtype=wp.float64, requires_grad=True)
    wp.launch(weighted_sum_v, dim=out.shape, inputs=[out, loss])
    return loss


def main():
    p = wp.array([[0.0, 0.0, 0.0], [4.0, 5.0, 6.5], [1.2, -0.3, 0.7]], dtype=wp.vec3d, requires_grad=True)

    tape = wp.Tape()
    with tape:
        loss = forward(p)
    tape.backward(loss)

    print("p.grad:", p.grad.numpy())


if __name__ == "__main__":
    main()
