"""Pairwise springs of zero rest length; two of the particles sit in the same place."""

import numpy as np
import warp as wp


@wp.kernel
def tension(x: wp.array(dtype=wp.vec3d), spring: wp.array(dtype=wp.vec2i), energy: wp.array(dtype=wp.float64)):
    s = wp.tid()
    d = x[spring[s][0]] - x[spring[s][1]]
    length = wp.length(d)
    wp.atomic_add(energy, 0, length * length * length)


def energy_of(positions):
    x = wp.array(positions, dtype=wp.vec3d, requires_grad=True)
    spring = wp.array([[0, 1], [1, 2]], dtype=wp.vec2i)
    energy = wp.zeros(1, dtype=wp.float64, requires_grad=True)
    wp.launch(tension, dim=2, inputs=[x, spring], outputs=[energy])
    return x, energy


def main():
    p = np.array([[0.5, 0.5, 0.0], [0.5, 0.5, 0.0], [0.1, 0.2, 0.3]])
    tape = wp.Tape()
    with tape:
        x, energy = energy_of(p)
    tape.backward(energy)
    print("AD =", x.grad.numpy().flatten().round(6).tolist())

    h, fd = 1e-5, []
    for k in np.ndindex(p.shape):
        e = np.zeros(p.shape)
        e[k] = h
        fd.append((energy_of(p + e)[1].numpy()[0] - energy_of(p - e)[1].numpy()[0]) / (2.0 * h))
    print("FD =", np.round(fd, 6).tolist())


if __name__ == "__main__":
    main()
