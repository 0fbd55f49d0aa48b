"""Arrays of structs on the gradient's path: all members floating point of one type, or not."""

import sys

import numpy as np
import warp as wp


@wp.struct
class Uniform:
    pos: wp.vec2d
    mass: wp.float64


@wp.struct
class Mixed:
    pos: wp.vec2d
    mass: wp.float64
    index: int


@wp.kernel
def make(x: wp.array(dtype=wp.vec2d), m: wp.array(dtype=wp.float64), p: wp.array(dtype=Uniform)):
    i = wp.tid()
    p[i].pos = x[i] * m[i]
    p[i].mass = m[i]


@wp.kernel
def use(p: wp.array(dtype=Uniform), loss: wp.array(dtype=wp.float64)):
    i = wp.tid()
    q = p[i]
    wp.atomic_add(loss, 0, q.mass * wp.dot(q.pos, q.pos))


@wp.kernel
def make_mixed(x: wp.array(dtype=wp.vec2d), m: wp.array(dtype=wp.float64), p: wp.array(dtype=Mixed)):
    i = wp.tid()
    p[i].index = i
    p[i].pos = x[i] * m[i]
    p[i].mass = m[i]


@wp.kernel
def use_mixed(p: wp.array(dtype=Mixed), loss: wp.array(dtype=wp.float64)):
    i = wp.tid()
    q = p[i]
    wp.atomic_add(loss, 0, q.mass * wp.dot(q.pos, q.pos))


def main(kind, order):
    first, second, dtype = (make, use, Uniform) if kind == "uniform" else (make_mixed, use_mixed, Mixed)
    x = wp.array(np.array([[1.0, 2.0], [3.0, -1.0]]), dtype=wp.vec2d, requires_grad=True)
    other = wp.array(np.array([[0.5, 0.25], [2.0, 1.0]]), dtype=wp.vec2d, requires_grad=True)
    m = wp.array([1.5, 0.5], dtype=wp.float64, requires_grad=True)
    p = wp.zeros(2, dtype=dtype, requires_grad=True)
    loss = wp.zeros(1, dtype=wp.float64, requires_grad=True)
    tape = wp.Tape()
    with tape:
        wp.launch(first, dim=2, inputs=[x, m], outputs=[p])
        wp.launch(second, dim=2, inputs=[p], outputs=[loss])
        if order == "again":
            wp.launch(first, dim=2, inputs=[other, m], outputs=[p])
            wp.launch(second, dim=2, inputs=[p], outputs=[loss])
    tape.backward(loss)
    print(x.grad.numpy(), m.grad.numpy())


main(*sys.argv[1:])
