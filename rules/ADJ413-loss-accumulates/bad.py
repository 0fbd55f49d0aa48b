"""Fitting a plane: the loss array keeps what earlier iterations added to it."""

import numpy as np
import warp as wp


@wp.kernel
def residual(plane: wp.array(dtype=wp.vec3d), point: wp.array(dtype=wp.vec3d), loss: wp.array(dtype=wp.float64)):
    i = wp.tid()
    p = point[i]
    r = plane[0][0] * p[0] + plane[0][1] * p[1] + plane[0][2] - p[2]
    wp.atomic_add(loss, 0, r * r)


def fit(point, start, iterations):
    plane = wp.array([start], dtype=wp.vec3d, requires_grad=True)
    loss = wp.zeros(1, dtype=wp.float64, requires_grad=True)
    for _ in range(iterations):
        tape = wp.Tape()
        with tape:
            wp.launch(residual, dim=point.shape, inputs=[plane, point], outputs=[loss])  # ADJ413
        tape.backward(loss)
        before, gradient = plane.numpy()[0].copy(), plane.grad.numpy()[0].copy()
        tape.zero()
        plane.assign(np.array([before - 0.05 * gradient]))
    return before, gradient, loss.numpy()[0]


def loss_at(point, plane):
    loss = wp.zeros(1, dtype=wp.float64)
    wp.launch(residual, dim=point.shape, inputs=[wp.array([plane], dtype=wp.vec3d), point], outputs=[loss])
    return loss.numpy()[0]


def main():
    point = wp.array([[0.0, 0.0, 1.0], [1.0, 0.0, 1.5], [0.0, 1.0, 0.7], [1.0, 1.0, 1.3]], dtype=wp.vec3d)
    plane, gradient, loss = fit(point, [0.0, 0.0, 0.0], 3)
    print("loss =", round(float(loss), 6), "and afresh:", round(float(loss_at(point, plane)), 6))
    print("AD =", gradient.round(6).tolist())
    h = 1e-6
    fd = [(loss_at(point, plane + e) - loss_at(point, plane - e)) / (2.0 * h) for e in h * np.eye(3)]
    print("FD =", np.round(fd, 6).tolist())


if __name__ == "__main__":
    main()
