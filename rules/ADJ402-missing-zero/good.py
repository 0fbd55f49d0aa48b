"""Gradient descent on a lens position; the tape clears the gradients after each iteration."""

import numpy as np
import warp as wp


@wp.kernel
def blur(position: wp.array(dtype=wp.float64), focus: wp.array(dtype=wp.float64), loss: wp.array(dtype=wp.float64)):
    i = wp.tid()
    d = position[i] - focus[i]
    wp.atomic_add(loss, 0, d * d + wp.float64(0.5) * d * d * d)


def evaluate(position, focus):
    loss = wp.zeros(1, dtype=wp.float64, requires_grad=True)
    wp.launch(blur, dim=position.shape, inputs=[position, focus], outputs=[loss])
    return loss


def main():
    focus = wp.array([0.2, 0.5, 0.9], dtype=wp.float64)
    position = wp.array([0.0, 0.1, 0.3], dtype=wp.float64, requires_grad=True)

    for iteration in range(3):
        before = position.numpy().copy()
        tape = wp.Tape()
        with tape:
            loss = evaluate(position, focus)
        tape.backward(loss)
        gradient = position.grad.numpy().copy()
        tape.zero()
        position.assign(before - 0.1 * gradient)

    print("AD =", gradient.round(6).tolist())

    h, fd = 1e-6, []
    for e in h * np.eye(3):
        high = evaluate(wp.array(before + e, dtype=wp.float64), focus).numpy()[0]
        low = evaluate(wp.array(before - e, dtype=wp.float64), focus).numpy()[0]
        fd.append((high - low) / (2.0 * h))
    print("FD =", np.round(fd, 6).tolist())


if __name__ == "__main__":
    main()
