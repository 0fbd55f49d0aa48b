import numpy as np

import warp as wp


@wp.kernel
def step_kernel(v: wp.array[wp.vec3d], r: wp.array[wp.quatd]):
    i = wp.tid()
    v[i] = wp.quat_rotate(r[i], v[i])


@wp.kernel
def weighted_sum(x: wp.array[wp.vec3d], loss: wp.array[wp.float64]):
    i = wp.tid()
    wp.atomic_add(loss, 0, wp.dot(x[i], x[i]) * wp.float64(0.25) + x[i][0] * wp.float64(i + 1) + x[i][1])


def forward(v, r):
    wp.launch(step_kernel, dim=3, inputs=[v, r])
    loss = wp.zeros(1, dtype=wp.float64, requires_grad=True)
    wp.launch(weighted_sum, dim=v.shape[0], inputs=[v], outputs=[loss])
    return loss


def main():
    v = wp.array(np.array([[1.0, 0.7, -1.3], [2.1, 0.5, 0.4], [0.3, -0.9, 1.2]]), dtype=wp.vec3d, requires_grad=True)
    r = wp.array(np.array([[0.1, 0.2, 0.3, 0.9], [0.5, 0.1, -0.4, 0.7], [0.3, -0.3, 0.2, 0.8]]), dtype=wp.quatd, requires_grad=True)

    tape = wp.Tape()
    with tape:
        loss = forward(v, r)
    tape.backward(loss)

    print("v.grad:", v.grad.numpy())
    print("r.grad:", r.grad.numpy())


if __name__ == "__main__":
    main()
