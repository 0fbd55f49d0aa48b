"""A DAC drives a valve: the opening is rounded to the converter's steps. Correct, and without any slope."""

import numpy as np
import warp as wp


@wp.kernel
def convert(opening: wp.array(dtype=wp.float64), steps: wp.float64, level: wp.array(dtype=wp.float64)):
    i = wp.tid()
    level[i] = wp.round(opening[i] * steps) / steps  # ADJ503


@wp.kernel
def flow_error(level: wp.array(dtype=wp.float64), wanted: wp.float64, loss: wp.array(dtype=wp.float64)):
    i = wp.tid()
    wp.atomic_add(loss, 0, (level[i] - wanted) * (level[i] - wanted))


def loss_of(openings):
    opening = wp.array(openings, dtype=wp.float64, requires_grad=True)
    level = wp.zeros_like(opening)
    loss = wp.zeros(1, dtype=wp.float64, requires_grad=True)
    wp.launch(convert, dim=len(openings), inputs=[opening, 50.0], outputs=[level])
    wp.launch(flow_error, dim=len(openings), inputs=[level, 0.8], outputs=[loss])
    return opening, loss


def central_difference(x, h):
    return [(loss_of(x + e)[1].numpy()[0] - loss_of(x - e)[1].numpy()[0]) / (2.0 * h) for e in h * np.eye(len(x))]


def main():
    x = np.array([0.1, 0.5, 0.9])
    with wp.Tape() as tape:
        opening, loss = loss_of(x)
    tape.backward(loss)
    print("AD =", opening.grad.numpy().round(6).tolist())
    print("FD =", np.round(central_difference(x, 1e-6), 6).tolist())
    print("FD over two steps of the converter =", np.round(central_difference(x, 0.04), 6).tolist())


if __name__ == "__main__":
    main()
