import numpy as np

import warp as wp

wp.config.enable_vector_component_overwrites = True


@wp.kernel
def evaluate(q: wp.array[wp.vec3d], r: wp.array[wp.quatd], out: wp.array[wp.float64]):
    i = wp.tid()
    t = wp.transformd(q[i], r[i])
    t.p = q[i] * wp.float64(2.0)
    out[i] = wp.dot(wp.transform_get_translation(t), q[i])


@wp.kernel
def weighted_sum(x: wp.array[wp.float64], loss: wp.array[wp.float64]):
    i = wp.tid()
    wp.atomic_add(loss, 0, x[i] * (wp.float64(i) + wp.float64(1.0)))


def forward(q, r):
    out = wp.zeros(3, dtype=wp.float64, requires_grad=True)
    wp.launch(evaluate, dim=3, inputs=[q, r], outputs=[out])
    loss = wp.zeros(1, dtype=wp.float64, requires_grad=True)
    wp.launch(weighted_sum, dim=out.shape[0], inputs=[out], outputs=[loss])
    return loss


def main():
    q = wp.array(np.array([[1.0, 0.7, -1.3], [2.1, 0.5, 0.4], [0.3, -0.9, 1.2]]), dtype=wp.vec3d, requires_grad=True)
    r = wp.array(np.array([[0.1, 0.2, 0.3, 0.9], [0.5, 0.1, -0.4, 0.7], [0.3, -0.3, 0.2, 0.8]]), dtype=wp.quatd, requires_grad=True)

    tape = wp.Tape()
    with tape:
        loss = forward(q, r)
    tape.backward(loss)

    print("q.grad:", q.grad.numpy())
    print("r.grad:", r.grad.numpy())


if __name__ == "__main__":
    main()
