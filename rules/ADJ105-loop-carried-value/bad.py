"""Volume rendering of one ray per thread: the transmittance is carried along the ray's samples."""

import numpy as np
import warp as wp


@wp.kernel
def march(
    density: wp.array2d(dtype=wp.float64),
    glow: wp.array2d(dtype=wp.float64),
    samples: int,
    dx: wp.float64,
    colour: wp.array(dtype=wp.float64),
):
    ray = wp.tid()
    light = wp.float64(0.0)
    through = wp.float64(1.0)
    for j in range(samples):
        light += through * glow[ray, j] * dx
        through *= wp.exp(-density[ray, j] * dx)  # ADJ105
    colour[ray] = light


@wp.kernel
def squared_error(colour: wp.array(dtype=wp.float64), photo: wp.array(dtype=wp.float64), loss: wp.array(dtype=wp.float64)):
    ray = wp.tid()
    d = colour[ray] - photo[ray]
    wp.atomic_add(loss, 0, d * d)


def render(density, glow):
    rays, samples = density.shape
    photo = wp.array([0.3, 0.6], dtype=wp.float64)
    colour = wp.zeros(rays, dtype=wp.float64, requires_grad=True)
    loss = wp.zeros(1, dtype=wp.float64, requires_grad=True)
    wp.launch(march, dim=rays, inputs=[density, glow, samples, 0.5], outputs=[colour])
    wp.launch(squared_error, dim=rays, inputs=[colour, photo], outputs=[loss])
    return loss


def main():
    rho = np.array([[0.2, 0.9, 0.4], [0.1, 0.3, 1.2]])
    glow = wp.array([[0.5, 1.0, 0.2], [0.9, 0.1, 0.7]], dtype=wp.float64)

    density = wp.array(rho, dtype=wp.float64, requires_grad=True)
    tape = wp.Tape()
    with tape:
        loss = render(density, glow)
    tape.backward(loss)
    print("AD =", density.grad.numpy().flatten().round(6).tolist())

    fd, h = np.zeros(rho.shape), 1e-6
    for k in np.ndindex(rho.shape):
        for sign in (1.0, -1.0):
            moved = rho.copy()
            moved[k] += sign * h
            fd[k] += sign * render(wp.array(moved, dtype=wp.float64), glow).numpy()[0] / (2.0 * h)
    print("FD =", fd.flatten().round(6).tolist())


if __name__ == "__main__":
    main()
