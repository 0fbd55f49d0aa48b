"""Two backward passes through a gripper's forces, seeded with the same array: the first one uses it up."""

import numpy as np
import warp as wp


@wp.kernel
def squeeze(gap: wp.array[wp.float64], force: wp.array[wp.float64]):
    i = wp.tid()
    force[i] = wp.float64(1.0) / (gap[i] * gap[i])


def forces(gaps):
    gap = wp.array(gaps, dtype=wp.float64, requires_grad=True)
    force = wp.zeros_like(gap)
    wp.launch(squeeze, dim=gap.shape, inputs=[gap], outputs=[force])
    return gap, force


def weighted_gradients(gap_sets, weights):
    """Gradient of the weighted force for every set of gaps; shape (sets, n)."""
    seed = wp.array(weights, dtype=wp.float64)
    rows = []
    for gaps in gap_sets:
        tape = wp.Tape()
        with tape:
            gap, force = forces(gaps)
        force.grad = seed  # ADJ410
        tape.backward()
        rows.append(gap.grad.numpy().copy())
    return np.array(rows)


def main():
    sets, weights = np.array([[1.0, 2.0], [1.5, 0.5]]), np.array([1.0, 3.0])
    print("AD =", weighted_gradients(sets, weights).flatten().round(6).tolist())

    h, fd = 1e-6, []
    for gaps in sets:
        for e in h * np.eye(2):
            fd.append(weights @ (forces(gaps + e)[1].numpy() - forces(gaps - e)[1].numpy()) / (2.0 * h))
    print("FD =", np.round(fd, 6).tolist())


if __name__ == "__main__":
    main()
