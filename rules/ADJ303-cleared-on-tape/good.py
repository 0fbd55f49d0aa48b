"""Beads on springs: every step of the tape has a force array of its own."""

import numpy as np
import warp as wp


@wp.kernel
def spring_forces(x: wp.array(dtype=wp.float64), k: wp.array(dtype=wp.float64), force: wp.array(dtype=wp.float64)):
    s = wp.tid()
    pull = k[s] * (x[s + 1] - x[s] - wp.float64(1.0))
    wp.atomic_add(force, s, pull)
    wp.atomic_sub(force, s + 1, pull)


@wp.kernel
def move(x: wp.array(dtype=wp.float64), force: wp.array(dtype=wp.float64), dt: wp.float64, moved: wp.array(dtype=wp.float64)):
    i = wp.tid()
    moved[i] = x[i] + dt * force[i]


@wp.kernel
def spread(x: wp.array(dtype=wp.float64), loss: wp.array(dtype=wp.float64)):
    i = wp.tid()
    wp.atomic_add(loss, 0, x[i] * x[i])


def relax(k, steps=3):
    beads = k.shape[0] + 1
    xs = [wp.zeros(beads, dtype=wp.float64, requires_grad=True) for _ in range(steps + 1)]
    xs[0].assign(np.array([0.0, 1.5, 2.2, 3.9]))
    loss = wp.zeros(1, dtype=wp.float64, requires_grad=True)
    for t in range(steps):
        force = wp.zeros(beads, dtype=wp.float64, requires_grad=True)
        wp.launch(spring_forces, dim=beads - 1, inputs=[xs[t], k], outputs=[force])
        wp.launch(move, dim=beads, inputs=[xs[t], force, 0.1], outputs=[xs[t + 1]])
    wp.launch(spread, dim=beads, inputs=[xs[steps]], outputs=[loss])
    return loss


def main():
    stiffness, h = np.array([1.0, 2.0, 1.5]), 1e-6
    k = wp.array(stiffness, dtype=wp.float64, requires_grad=True)
    tape = wp.Tape()
    with tape:
        loss = relax(k)
    tape.backward(loss)
    print("AD =", k.grad.numpy().round(6).tolist())

    fd = []
    for e in h * np.eye(3):
        high = relax(wp.array(stiffness + e, dtype=wp.float64)).numpy()[0]
        low = relax(wp.array(stiffness - e, dtype=wp.float64)).numpy()[0]
        fd.append((high - low) / (2.0 * h))
    print("FD =", np.round(fd, 6).tolist())


if __name__ == "__main__":
    main()
