"""A pinhole camera collects its ray in a struct; the direction is built as a whole."""

import numpy as np
import warp as wp


@wp.struct
class Ray:
    origin: wp.vec3d
    direction: wp.vec3d


@wp.kernel
def trace_to_wall(focal: wp.array(dtype=wp.float64), pixel: wp.array(dtype=wp.vec2d), hit: wp.array(dtype=wp.vec3d)):
    i = wp.tid()
    ray = Ray()
    ray.origin = wp.vec3d(wp.float64(0.0), wp.float64(0.0), wp.float64(-1.0))
    ray.direction = wp.vec3d(pixel[i][0] / focal[i], pixel[i][1] / focal[i], wp.float64(1.0))
    hit[i] = ray.origin + wp.float64(5.0) * ray.direction


@wp.kernel
def reprojection_error(hit: wp.array(dtype=wp.vec3d), seen: wp.array(dtype=wp.vec3d), loss: wp.array(dtype=wp.float64)):
    i = wp.tid()
    wp.atomic_add(loss, 0, wp.length_sq(hit[i] - seen[i]))


def error(focal):
    pixel = wp.array([[0.1, 0.2], [-0.3, 0.1]], dtype=wp.vec2d)
    seen = wp.array([[0.4, 0.9, 4.0], [-1.2, 0.6, 4.0]], dtype=wp.vec3d)
    hit = wp.zeros(2, dtype=wp.vec3d, requires_grad=True)
    loss = wp.zeros(1, dtype=wp.float64, requires_grad=True)
    wp.launch(trace_to_wall, dim=2, inputs=[focal, pixel], outputs=[hit])
    wp.launch(reprojection_error, dim=2, inputs=[hit, seen], outputs=[loss])
    return loss


def main():
    guess, h = np.array([1.0, 1.5]), 1e-6
    focal = wp.array(guess, dtype=wp.float64, requires_grad=True)
    tape = wp.Tape()
    with tape:
        loss = error(focal)
    tape.backward(loss=loss)
    print("AD =", focal.grad.numpy().round(6).tolist())

    fd = []
    for e in np.eye(2):
        plus = error(wp.array(guess + h * e, dtype=wp.float64)).numpy()[0]
        minus = error(wp.array(guess - h * e, dtype=wp.float64)).numpy()[0]
        fd.append((plus - minus) / (2.0 * h))
    print("FD =", np.round(fd, 6).tolist())


if __name__ == "__main__":
    main()
