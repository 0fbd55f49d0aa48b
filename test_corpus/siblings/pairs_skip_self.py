import numpy as np

import warp as wp


@wp.kernel
def apply_kernel(p: wp.array(dtype=wp.vec3), out: wp.array(dtype=wp.vec3)):
    i = wp.tid()
    f = wp.vec3(0.0)
    for j in range(3):
        if i == j:
            continue
        d = p[i] - p[j]
        f += d / wp.length(d)
    out[i] = f


@wp.kernel
def weighted_sum_v(x: wp.array(dtype=wp.vec3), loss: wp.array(dtype=float)):
    i = wp.tid()
    v = x[i]
    wp.atomic_add(loss, 0, v[0] * (float(i) + float(1.0)) + v[1] * float(0.7) + v[2] * float(-1.3))


def main():
    p = wp.array(np.array([[1.0, -2.0, 3.0], [4.0, 5.0, 6.0], [1.2, -0.3, 0.9]]), dtype=wp.vec3, requires_grad=True)

    with wp.Tape() as tape:
        out = wp.zeros(3, dtype=wp.vec3, requires_grad=True)
        wp.launch(apply_kernel, dim=3, inputs=[p], outputs=[out])
        loss = wp.zeros(1, dtype=float, requires_grad=True)
        wp.launch(weighted_sum_v, dim=3, inputs=[out], outputs=[loss])
    tape.backward(loss)

    print("p.grad:", p.grad.numpy())


if __name__ == "__main__":
    main()
