"""A chain whose states are structs; each step clears the forces of its state."""

import sys

import numpy as np
import warp as wp


@wp.struct
class State:
    x: wp.array(dtype=wp.float64)
    v: wp.array(dtype=wp.float64)
    f: wp.array(dtype=wp.float64)


@wp.func
def put(to: State, i: int, x: wp.float64, v: wp.float64):
    to.x[i] = x
    to.v[i] = v


@wp.kernel
def pull(s: State, k: wp.array(dtype=wp.float64)):
    i = wp.tid()
    wp.atomic_sub(s.f, i, k[0] * s.x[i])


@wp.kernel
def integrate(s: State, to: State, dt: wp.float64):
    i = wp.tid()
    v = s.v[i] + s.f[i] * dt
    to.x[i] = s.x[i] + v * dt
    to.v[i] = v


@wp.kernel
def integrate_by_func(s: State, to: State, dt: wp.float64):
    i = wp.tid()
    v = s.v[i] + s.f[i] * dt
    put(to, i, s.x[i] + v * dt, v)


@wp.kernel
def energy(s: State, loss: wp.array(dtype=wp.float64)):
    i = wp.tid()
    wp.atomic_add(loss, 0, s.x[i] * s.x[i])


def zeros(n):
    return wp.zeros(n, dtype=wp.float64, requires_grad=True)


def main(name):
    kernel = integrate_by_func if name == "through" else integrate
    shared = zeros(2)
    states = []
    for _ in range(4):
        state = State()
        state.x = wp.array(np.array([1.0, 2.0]), dtype=wp.float64, requires_grad=True)
        state.v = zeros(2)
        state.f = shared if name == "shared" else zeros(2)
        states.append(state)
    k = wp.array([3.0], dtype=wp.float64, requires_grad=True)
    loss = zeros(1)
    tape = wp.Tape()
    with tape:
        for i in range(3):
            s, to = states[i], states[i + 1]
            s.f.zero_()
            wp.launch(pull, dim=2, inputs=[s, k])
            wp.launch(kernel, dim=2, inputs=[s, to, 0.1])
        wp.launch(energy, dim=2, inputs=[states[-1]], outputs=[loss])
    tape.backward(loss)
    print(k.grad.numpy())


main(sys.argv[1])
