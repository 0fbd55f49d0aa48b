"""Backpropagation by segments: each is run again from its saved state, and takes over the gradients of the next."""

import sys

import numpy as np
import warp as wp

N, STEPS, SEGMENTS = 8, 3, 3
wp.init()


@wp.kernel
def accelerate(x: wp.array(dtype=float), v: wp.array(dtype=float), w: wp.array(dtype=float)):
    i = wp.tid()
    w[i] = v[i] - 0.1 * wp.sin(x[i])


@wp.kernel
def move(x: wp.array(dtype=float), w: wp.array(dtype=float), y: wp.array(dtype=float)):
    i = wp.tid()
    y[i] = x[i] + 0.1 * w[i] * w[i]


@wp.kernel
def weigh(x: wp.array(dtype=float), g: wp.array(dtype=float)):
    i = wp.tid()
    g[i] = 2.0 * x[i]


def arrays(count, gradient=True):
    return [wp.zeros(N, dtype=float, device="cpu", requires_grad=gradient) for _ in range(count)]


xs, vs = arrays(STEPS + 1), arrays(STEPS + 1)
saved_x, saved_v = arrays(SEGMENTS, False), arrays(SEGMENTS, False)
grad_x, grad_v = arrays(2, False)
xs[0].assign(np.linspace(0.2, 1.1, N))
vs[0].assign(np.linspace(-0.7, 0.9, N))


def steps():
    for t in range(STEPS):
        wp.launch(accelerate, N, inputs=[xs[t], vs[t]], outputs=[vs[t + 1]], device="cpu")
        wp.launch(move, N, inputs=[xs[t], vs[t + 1]], outputs=[xs[t + 1]], device="cpu")


for segment in range(SEGMENTS):
    wp.copy(saved_x[segment], xs[0])
    wp.copy(saved_v[segment], vs[0])
    steps()
    if segment < SEGMENTS - 1:
        wp.copy(xs[0], xs[STEPS])
        wp.copy(vs[0], vs[STEPS])

for segment in reversed(range(SEGMENTS)):
    wp.copy(xs[0], saved_x[segment])
    wp.copy(vs[0], saved_v[segment])
    with wp.Tape() as tape:
        steps()
    if segment == SEGMENTS - 1:
        wp.launch(weigh, N, inputs=[xs[STEPS]], outputs=[xs[STEPS].grad], device="cpu")
    else:
        wp.copy(xs[STEPS].grad, grad_x)
        wp.copy(vs[STEPS].grad, grad_v)
    tape.backward()
    wp.copy(grad_x, xs[0].grad)
    wp.copy(grad_v, vs[0].grad)
    if sys.argv[1] == "good":
        tape.zero()

print(grad_x.numpy(), grad_v.numpy())
