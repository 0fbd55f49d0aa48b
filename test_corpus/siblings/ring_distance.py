import numpy as np

import warp as wp


@wp.kernel
def run_step(p: wp.array(dtype=wp.vec3d), out: wp.array(dtype=wp.float64)):
    i = wp.tid()
    d = p[i] - p[(i + 1) % 3]
    out[i] = wp.sqrt(d[0] * d[0] + d[1] * d[1])


@wp.kernel
def weighted_sum(x: wp.array(dtype=wp.float64), loss: wp.array(dtype=wp.float64)):
    i = wp.tid()
    wp.atomic_add(loss, 0, x[i] * (wp.float64(i) + wp.float64(1.0)))


def main():
    p = wp.array([[1.0, -2.0, 3.0], [4.0, 5.0, 6.0], [1.2, -0.3, 0.9]], dtype=wp.vec3d, requires_grad=True)

    with wp.Tape() as tape:
        out = wp.zeros(3, dtype=wp.float64, requires_grad=True)
        wp.launch(run_step, dim=3, inputs=[p], outputs=[out])
        loss = wp.zeros(1, dtype=wp.float64, requires_grad=True)
        wp.launch(weighted_sum, dim=out.shape, inputs=[out], outputs=[loss])
    tape.backward(loss)

    print("p.grad:", p.grad.numpy())


if __name__ == "__main__":
    main()
