import numpy as np

import warp as wp


@wp.kernel
def update_kernel(q: wp.array[wp.quatd], y: wp.array[wp.float64], out: wp.array[wp.float64]):
    i = wp.tid()
    qq = wp.mat33d()
    rr = wp.mat33d()
    s = wp.vec3d()
    ax = wp.vec3d()
    an = wp.float64(0.0)
    wp.quat_to_axis_angle(q[i], ax, an)
    out[i] = an * y[i]
    q[i] = wp.quatd(q[i][3], q[i][0], q[i][1], q[i][2])


@wp.kernel
def weighted_sum(x: wp.array[wp.float64], loss: wp.array[wp.float64]):
    i = wp.tid()
    wp.atomic_add(loss, 0, x[i] * (wp.float64(i) + wp.float64(1.0)))


def forward(q, y):
    out = wp.zeros(3, dtype=wp.float64, requires_grad=True)
    wp.launch(update_kernel, dim=3, inputs=[q, y], outputs=[out])
    loss = wp.zeros(1, dtype=wp.float64, requires_grad=True)
    wp.launch(weighted_sum, dim=out.shape[0], inputs=[out], outputs=[loss])
    return loss


def main():
    q = wp.array(np.array([[0.1, 0.2, 0.3, 0.9], [0.5, 0.1, -0.4, 0.7], [0.3, -0.3, 0.2, 0.8]]), dtype=wp.quatd, requires_grad=True)
    y = wp.array(np.array([1.5, 2.0, 3.0]), dtype=wp.float64, requires_grad=True)

    tape = wp.Tape()
    with tape:
        loss = forward(q, y)
    tape.backward(loss)

    print("q.grad:", q.grad.numpy())
    print("y.grad:", y.grad.numpy())


if __name__ == "__main__":
    main()
