"""Receding horizon: each window starts where the last one ended, by a copy into its first state."""

import numpy as np
import warp as wp

HORIZON = 3


@wp.kernel
def pendulum(state: wp.array[wp.vec2d], gain: wp.array[wp.float64], t: int, dt: wp.float64, after: wp.array[wp.vec2d]):
    theta = state[0][0]
    omega = state[0][1] + dt * (gain[t] * (wp.float64(3.0) - theta) - wp.sin(theta))
    after[0] = wp.vec2d(theta + dt * omega, omega)


@wp.kernel
def upright(state: wp.array[wp.vec2d], loss: wp.array[wp.float64]):
    d = state[0][0] - wp.float64(3.0)
    loss[0] = d * d


def simulate(states, gain, loss):
    for t in range(HORIZON):
        wp.launch(pendulum, dim=1, inputs=[states[t], gain, t, 0.5], outputs=[states[t + 1]])
    wp.launch(upright, dim=1, inputs=[states[-1]], outputs=[loss])


def fresh_states(start):
    states = [wp.zeros(1, dtype=wp.vec2d, requires_grad=True) for _ in range(HORIZON + 1)]
    states[0].assign(np.array([start]))
    return states


def window_loss(gain, start):
    loss = wp.zeros(1, dtype=wp.float64)
    simulate(fresh_states(start), wp.array(gain, dtype=wp.float64), loss)
    return loss.numpy()[0]


if __name__ == "__main__":
    u = np.array([0.9, 0.4, 0.7])
    gain = wp.array(u, dtype=wp.float64, requires_grad=True)
    loss = wp.zeros(1, dtype=wp.float64, requires_grad=True)
    states = fresh_states([0.8, 0.1])
    simulate(states, gain, loss)

    wp.copy(states[0], states[-1])
    start = states[0].numpy()[0].copy()
    tape = wp.Tape()
    with tape:
        simulate(states, gain, loss)
    tape.backward(loss)
    print("AD =", gain.grad.numpy().round(6).tolist())

    h = 1e-6
    fd = [(window_loss(u + e, start) - window_loss(u - e, start)) / (2.0 * h) for e in h * np.eye(HORIZON)]
    print("FD =", np.round(fd, 6).tolist())
