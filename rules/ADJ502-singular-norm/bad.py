"""Quadratic air drag: the power that drag takes from each particle; two of them are at rest."""

import numpy as np
import warp as wp


@wp.kernel
def drag_power(velocity: wp.array(dtype=wp.vec3d), power: wp.array(dtype=wp.float64)):
    v = velocity[wp.tid()]
    speed = wp.sqrt(wp.dot(v, v))  # ADJ502
    wp.atomic_add(power, 0, wp.float64(0.6) * speed * speed * speed)


def power_of(velocities):
    velocity = wp.array(velocities, dtype=wp.vec3d, requires_grad=True)
    power = wp.zeros(1, dtype=wp.float64, requires_grad=True)
    wp.launch(drag_power, dim=len(velocities), inputs=[velocity], outputs=[power])
    return velocity, power


def main():
    v = np.array([[0.0, 0.0, 0.0], [0.5, -0.2, 0.3], [0.0, 0.0, 0.0]])
    tape = wp.Tape()
    with tape:
        velocity, power = power_of(v)
    tape.backward(power)
    print("AD =", velocity.grad.numpy().flatten().round(6).tolist())

    h, fd = 1e-5, []
    for k in np.ndindex(v.shape):
        e = np.zeros(v.shape)
        e[k] = h
        fd.append((power_of(v + e)[1].numpy()[0] - power_of(v - e)[1].numpy()[0]) / (2.0 * h))
    print("FD =", np.round(fd, 6).tolist())


if __name__ == "__main__":
    main()
