"""Gradient of a long rollout in little memory: segments are recorded one at a time, last to first.

Only the state at each segment's start is kept. A segment is run again under a tape, seeded with the gradient of the
state at its end, and hands the gradient of its start to the segment before it.
"""

import numpy as np
import warp as wp
from reaction import Rates, pattern, react

wp.config.quiet = True

CELLS, SEGMENTS, LENGTH = 6, 4, 5


def rates():
    r = Rates()
    r.diffusion, r.dt = 0.2, 0.5
    return r


def advance(u, feed, kill):
    """One segment; every state is an array of its own."""
    for _ in range(LENGTH):
        u_next = wp.zeros_like(u)
        wp.launch(react, dim=CELLS, inputs=[u, feed, kill, rates()], outputs=[u_next])
        u = u_next
    return u


def first_state():
    u = np.ones((CELLS, 2)) * [1.0, 0.0]
    u[1:3] = [0.5, 0.3]
    return wp.array(u, dtype=wp.vec2d, requires_grad=True)


def score(u):
    target = wp.array(np.linspace(0.3, 0.0, CELLS), dtype=wp.float64)
    loss = wp.zeros(1, dtype=wp.float64, requires_grad=True)
    wp.launch(pattern, dim=CELLS, inputs=[u, target], outputs=[loss])
    return loss


def value(feed, kill):
    f, k = (wp.array([p], dtype=wp.float64) for p in (feed, kill))
    u = first_state()
    for _ in range(SEGMENTS):
        u = advance(u, f, k)
    return score(u).numpy()[0]


def gradient(feed, kill):
    f, k = (wp.array([p], dtype=wp.float64, requires_grad=True) for p in (feed, kill))

    checkpoints = [first_state()]
    for _ in range(SEGMENTS):
        end = advance(checkpoints[-1], f, k)
        checkpoints.append(wp.array(end.numpy(), dtype=wp.vec2d, requires_grad=True))

    tape = wp.Tape()
    with tape:
        loss = score(checkpoints[-1])
    tape.backward(loss)
    adjoint = wp.clone(checkpoints[-1].grad, requires_grad=False)

    for start in reversed(checkpoints[:-1]):
        tape = wp.Tape()
        with tape:
            end = advance(start, f, k)
        tape.backward(grads={end: adjoint})
        adjoint = wp.clone(start.grad, requires_grad=False)
    return f.grad.numpy().copy(), k.grad.numpy().copy()


def main():
    feed, kill, h = 0.055, 0.062, 1e-6
    by_feed, by_kill = gradient(feed, kill)
    print("AD feed =", by_feed.round(7).tolist())
    print("FD feed =", [round(float(value(feed + h, kill) - value(feed - h, kill)) / (2 * h), 7)])
    print("AD kill =", by_kill.round(7).tolist())
    print("FD kill =", [round(float(value(feed, kill + h) - value(feed, kill - h)) / (2 * h), 7)])


if __name__ == "__main__":
    main()
