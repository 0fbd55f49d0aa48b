"""A DAC drives a valve: the opening is rounded to the converter's steps. The gradient passes straight through."""

import numpy as np
import warp as wp


@wp.func
def quantise(opening: wp.float64, steps: wp.float64):
    return wp.round(opening * steps) / steps


@wp.func_grad(quantise)
def adj_quantise(opening: wp.float64, steps: wp.float64, adj_ret: wp.float64):
    wp.adjoint[opening] += adj_ret


@wp.kernel
def convert(opening: wp.array(dtype=wp.float64), steps: wp.float64, level: wp.array(dtype=wp.float64)):
    i = wp.tid()
    level[i] = quantise(opening[i], steps)


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
    print("FD =", np.round(central_difference(x, 0.04), 6).tolist())  # over two steps of the converter


if __name__ == "__main__":
    main()
