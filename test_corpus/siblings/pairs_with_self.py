import numpy as np

import warp as wp


@wp.kernel
def compute(p: wp.array(dtype=wp.vec3d), out: wp.array(dtype=wp.vec3d)):
    i = wp.tid()
    f = wp.vec3d(wp.float64(0.0))
    for j in range(3):
        d = p[i] - p[j]
        f += d / wp.length(d)
    out[i] = f


@wp.kernel
def weighted_sum_v(x: wp.array(dtype=wp.vec3d), loss: wp.array(dtype=wp.float64)):
    i = wp.tid()
    v = x[i]
    wp.atomic_add(loss, 0, v[0] * (wp.float64(i) + wp.float64(1.0)) + v[1] * wp.float64(0.7) + v[2] * wp.float64(-1.3))


def main():
    p = wp.array([[1.0, -2.0, 3.0], [4.0, 5.0, 6.0], [1.2, -0.3, 0.9]], dtype=wp.vec3d, requires_grad=True)

    with wp.Tape() as tape:
        out = wp.zeros(3, dtype=wp.vec3d, requires_grad=True)
        wp.launch(compute, dim=3, inputs=[p], outputs=[out])
        loss = wp.zeros(1, dtype=wp.float64, requires_grad=True)
        wp.launch(weighted_sum_v, dim=out.shape, inputs=[out], outputs=[loss])
    tape.backward(loss)

    print("p.grad:", p.grad.numpy())


if __name__ == "__main__":
    main()
