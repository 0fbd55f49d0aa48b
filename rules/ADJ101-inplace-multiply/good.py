"""Kicked particles lose speed to a drag that is to be identified; each stage has an array of its own."""

import numpy as np
import warp as wp


@wp.kernel
def kick(impulse: wp.array(dtype=wp.float64), mass: wp.float64, speed: wp.array(dtype=wp.float64)):
    i = wp.tid()
    speed[i] = impulse[i] / mass


@wp.kernel
def apply_drag(
    speed: wp.array(dtype=wp.float64),
    drag: wp.array(dtype=wp.float64),
    dt: wp.float64,
    slowed: wp.array(dtype=wp.float64),
):
    i = wp.tid()
    slowed[i] = speed[i] * wp.exp(-drag[i] * dt)


@wp.kernel
def kinetic_energy(speed: wp.array(dtype=wp.float64), energy: wp.array(dtype=wp.float64)):
    i = wp.tid()
    wp.atomic_add(energy, 0, wp.float64(0.5) * speed[i] * speed[i])


def simulate(impulse, drag):
    speed = wp.zeros(len(drag), dtype=wp.float64, requires_grad=True)
    slowed = wp.zeros_like(speed)
    energy = wp.zeros(1, dtype=wp.float64, requires_grad=True)
    wp.launch(kick, dim=len(drag), inputs=[impulse, 2.0], outputs=[speed])
    wp.launch(apply_drag, dim=len(drag), inputs=[speed, drag, 0.5], outputs=[slowed])
    wp.launch(kinetic_energy, dim=len(drag), inputs=[slowed], outputs=[energy])
    return energy


def as_array(values):
    return wp.array(values, dtype=wp.float64, requires_grad=True)


def main():
    impulse, drag = np.array([1.0, 2.0, 3.0]), np.array([0.4, 0.8, 1.6])

    tape = wp.Tape()
    drag_wp = as_array(drag)
    with tape:
        energy = simulate(as_array(impulse), drag_wp)
    tape.backward(energy)
    print("AD =", drag_wp.grad.numpy().round(6).tolist())

    h, fd = 1e-6, []
    for step in np.eye(3) * h:
        high = simulate(as_array(impulse), as_array(drag + step)).numpy()[0]
        low = simulate(as_array(impulse), as_array(drag - step)).numpy()[0]
        fd.append((high - low) / (2.0 * h))
    print("FD =", np.round(fd, 6).tolist())


if __name__ == "__main__":
    main()
