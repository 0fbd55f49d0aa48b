import numpy as np

import warp as wp


@wp.kernel
def compute(p: wp.array[wp.vec3d], rest: wp.array[wp.float64], out: wp.array[wp.vec3d]):
    i = wp.tid()
    if i < 2:
        d = p[i + 1] - p[i]
        l = wp.length(d)
        out[i] = d / l * (l - rest[i])


@wp.kernel
def weighted_sum_v(x: wp.array[wp.vec3d], loss: wp.array[wp.float64]):
    i = wp.tid()
    v = x[i]
    wp.atomic_add(loss, 0, v[0] * (wp.float64(i) + wp.float64(1.0)) + v[1] * wp.float64(0.7) + v[2] * wp.float64(-1.3))


def forward(p, rest):
    out = wp.zeros(3, dtype=wp.vec3d, requires_grad=True)
    wp.launch(compute, dim=3, inputs=[p, rest, out])
    loss = wp.zeros(1, dtype=wp.float64, requires_grad=True)
    wp.launch(weighted_sum_v, dim=3, inputs=[out, loss])
    return loss


def main():
    p = wp.array(np.array([[1.0, -2.0, 3.0], [4.0, 5.0, 6.0], [1.2, -0.3, 0.9]]), dtype=wp.vec3d, requires_grad=True)
    rest = wp.array(np.array([1.5, 1.2, 0.8]), dtype=wp.float64, requires_grad=True)

    tape = wp.Tape()
    with tape:
        loss = forward(p, rest)
    tape.backward(loss)

    print("p.grad:", p.grad.numpy())
    print("rest.grad:", rest.grad.numpy())


if __name__ == "__main__":
    main()
