import numpy as np

import warp as wp

@wp.func
def f(v: wp.float64):
    return v * v


@wp.func
def f(v: wp.vec3d):
    v[0] = wp.float64(2.0) * v[1]
    return wp.dot(v, v)


@wp.kernel
def update_kernel(x: wp.array(dtype=wp.float64), q: wp.array(dtype=wp.vec3d), out: wp.array(dtype=wp.float64)):
    i = wp.tid()
    out[i] = f(x[i]) + f(q[i])


@wp.kernel
def weighted_sum(x: wp.array(dtype=wp.float64), loss: wp.array(dtype=wp.float64)):
    i = wp.tid()
    wp.atomic_add(loss, 0, x[i] * (wp.float64(i) + wp.float64(1.0)))


def forward(x, q):
    out = wp.zeros(3, dtype=wp.float64, requires_grad=True)
    wp.launch(update_kernel, dim=3, inputs=[x, q, out])
    loss = wp.zeros(1, dtype=wp.float64, requires_grad=True)
    wp.launch(weighted_sum, dim=out.shape[0], inputs=[out], outputs=[loss])
    return loss


def main():
    x = wp.array([1.5, 2.0, 3.0], dtype=wp.float64, requires_grad=True)
    q = wp.array(np.array([[1.0, 0.7, -1.3], [2.1, 0.5, 0.4], [0.3, -0.9, 1.2]]), dtype=wp.vec3d, requires_grad=True)

    with wp.Tape() as tape:
        loss = forward(x, q)
    tape.backward(loss)

    print("x.grad:", x.grad.numpy())
    print("q.grad:", q.grad.numpy())


if __name__ == "__main__":
    main()
