"""A contact barrier with a custom gradient that is clamped near the singularity."""

import numpy as np
import warp as wp


@wp.func
def barrier(d: wp.float64):
    return -wp.log(d)


@wp.func_grad(barrier)
def adj_barrier(d: wp.float64, adj_ret: wp.float64):
    wp.adjoint[d] += -adj_ret / wp.max(d, wp.float64(1.0e-3))


@wp.kernel
def contact_energy(gap: wp.array(dtype=wp.float64), stiffness: wp.float64, energy: wp.array(dtype=wp.float64)):
    c = wp.tid()
    d = gap[c]
    push = barrier(d)
    spring = wp.float64(0.5) * stiffness * d * d
    wp.atomic_add(energy, 0, push + spring)


def energy_of(gaps):
    gap = wp.array(gaps, dtype=wp.float64, requires_grad=True)
    energy = wp.zeros(1, dtype=wp.float64, requires_grad=True)
    wp.launch(contact_energy, dim=len(gaps), inputs=[gap, 3.0], outputs=[energy])
    return gap, energy


def main():
    x, h = np.array([0.2, 0.5, 1.5]), 1e-6
    tape = wp.Tape()
    with tape:
        gap, energy = energy_of(x)
    tape.backward(energy)
    print("AD =", gap.grad.numpy().round(5).tolist())

    fd = [(energy_of(x + e)[1].numpy()[0] - energy_of(x - e)[1].numpy()[0]) / (2.0 * h) for e in h * np.eye(3)]
    print("FD =", np.round(fd, 5).tolist())


if __name__ == "__main__":
    main()
