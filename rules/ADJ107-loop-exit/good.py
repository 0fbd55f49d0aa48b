"""A lamp's light on a plate: obstacles along the beam are sorted by distance, those behind the plate are skipped."""

import numpy as np
import warp as wp


@wp.kernel
def absorb(
    distance: wp.array(dtype=wp.float64),
    opacity: wp.array2d(dtype=wp.float64),
    obstacles: int,
    plate: wp.float64,
    absorbed: wp.array(dtype=wp.float64),
):
    beam = wp.tid()
    depth = wp.float64(0.0)
    for j in range(obstacles):
        if distance[j] <= plate:
            depth += opacity[beam, j] * opacity[beam, j]
    absorbed[beam] = depth


@wp.kernel
def total(absorbed: wp.array(dtype=wp.float64), loss: wp.array(dtype=wp.float64)):
    wp.atomic_add(loss, 0, absorbed[wp.tid()])


def shine(opacity):
    beams, obstacles = opacity.shape
    distance = wp.array([0.5, 1.0, 1.5, 4.0, 6.0], dtype=wp.float64)
    absorbed = wp.zeros(beams, dtype=wp.float64, requires_grad=True)
    loss = wp.zeros(1, dtype=wp.float64, requires_grad=True)
    wp.launch(absorb, dim=beams, inputs=[distance, opacity, obstacles, 2.0], outputs=[absorbed])
    wp.launch(total, dim=beams, inputs=[absorbed], outputs=[loss])
    return loss


def central_difference(x, h=1e-6):
    fd = np.zeros(x.shape)
    for k in np.ndindex(x.shape):
        e = np.zeros(x.shape)
        e[k] = h
        high = shine(wp.array(x + e, dtype=wp.float64))
        low = shine(wp.array(x - e, dtype=wp.float64))
        fd[k] = (high.numpy()[0] - low.numpy()[0]) / (2.0 * h)
    return fd


def main():
    x = np.array([[0.1, 0.2, 0.3, 0.4, 0.5]])
    opacity = wp.array(x, dtype=wp.float64, requires_grad=True)
    tape = wp.Tape()
    with tape:
        loss = shine(opacity)
    tape.backward(loss)
    print("AD =", opacity.grad.numpy().flatten().round(6).tolist())
    print("FD =", central_difference(x).flatten().round(6).tolist())


if __name__ == "__main__":
    main()
