"""A gradient kept for a plot: it is copied before `tape.zero()` clears the array."""

import numpy as np
import warp as wp


@wp.kernel
def drag_work(speed: wp.array(dtype=wp.float64), area: wp.array(dtype=wp.float64), work: wp.array(dtype=wp.float64)):
    i = wp.tid()
    wp.atomic_add(work, 0, wp.float64(0.6) * area[i] * speed[i] * speed[i])


def work_of(area):
    speed = wp.array([1.0, 2.0, 3.0], dtype=wp.float64)
    work = wp.zeros(1, dtype=wp.float64, requires_grad=True)
    wp.launch(drag_work, dim=area.shape, inputs=[speed, area], outputs=[work])
    return work


def sensitivity(areas):
    area = wp.array(areas, dtype=wp.float64, requires_grad=True)
    tape = wp.Tape()
    with tape:
        work = work_of(area)
    tape.backward(work)
    gradient = area.grad.numpy().copy()
    tape.zero()
    return gradient


def main():
    x, h = np.array([0.1, 0.2, 0.3]), 1e-6
    print("AD =", sensitivity(x).round(6).tolist())

    fd = []
    for e in h * np.eye(3):
        high, low = (work_of(wp.array(x + s * e, dtype=wp.float64)).numpy()[0] for s in (1.0, -1.0))
        fd.append((high - low) / (2.0 * h))
    print("FD =", np.round(fd, 6).tolist())


if __name__ == "__main__":
    main()
