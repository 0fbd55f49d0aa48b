"""A walker keeps a history of its heights; the clone is made after everything else has read the heights."""

import numpy as np
import warp as wp


@wp.kernel
def climb(slope: wp.array(dtype=wp.float64), height: wp.array(dtype=wp.float64)):
    i = wp.tid()
    height[i] = slope[i] * slope[i]


@wp.kernel
def effort(height: wp.array(dtype=wp.float64), weight: wp.float64, loss: wp.array(dtype=wp.float64)):
    i = wp.tid()
    wp.atomic_add(loss, 0, weight * height[i] * height[i])


def walk(slope):
    height = wp.zeros_like(slope)
    loss = wp.zeros(1, dtype=wp.float64, requires_grad=True)
    wp.launch(climb, dim=slope.shape, inputs=[slope], outputs=[height])
    wp.launch(effort, dim=slope.shape, inputs=[height, 1.0], outputs=[loss])
    history = wp.clone(height)
    wp.launch(effort, dim=slope.shape, inputs=[history, 0.5], outputs=[loss])
    return loss


def main():
    x, h = np.array([0.3, 0.6, 1.1]), 1e-6
    slope = wp.array(x, dtype=wp.float64, requires_grad=True)
    tape = wp.Tape()
    with tape:
        loss = walk(slope)
    tape.backward(loss)
    print("AD =", slope.grad.numpy().round(6).tolist())

    fd = []
    for e in h * np.eye(3):
        high = walk(wp.array(x + e, dtype=wp.float64, requires_grad=True)).numpy()[0]
        low = walk(wp.array(x - e, dtype=wp.float64, requires_grad=True)).numpy()[0]
        fd.append((high - low) / (2.0 * h))
    print("FD =", np.round(fd, 6).tolist())


if __name__ == "__main__":
    main()
