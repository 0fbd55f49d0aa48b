"""Kernels and leaves of the programs beside it.

Each program has `main()`, which returns the gradients of both leaves as the program computes them, and
`value(a, k)`, its loss for other leaves. Expected findings are marked at the ends of lines; a program
without a mark is right.
"""

import warp as wp

Array = wp.array(dtype=wp.float64)
F = wp.float64


@wp.kernel
def scale(src: Array, dst: Array):
    i = wp.tid()
    dst[i] = src[i] * F(1.5)


@wp.kernel
def multiply(src: Array, k: Array, dst: Array):
    i = wp.tid()
    dst[i] = src[i] * k[i]


@wp.kernel
def sine(src: Array, dst: Array):
    i = wp.tid()
    dst[i] = wp.sin(src[i])


@wp.kernel
def add(src: Array, other: Array, dst: Array):
    i = wp.tid()
    dst[i] = src[i] + F(0.5) * other[i]


@wp.kernel
def weighted_sum(x: Array, loss: Array):
    i = wp.tid()
    wp.atomic_add(loss, 0, x[i] * (F(i) + F(1.0)))


def leaves():
    a = wp.array([0.3, 1.1, -0.7, 1.9], dtype=wp.float64, requires_grad=True)
    k = wp.array([0.9, -1.3, 0.6, 1.2], dtype=wp.float64, requires_grad=True)
    return a, k


def buffer():
    return wp.zeros(4, dtype=wp.float64, requires_grad=True)


def scalar():
    return wp.zeros(1, dtype=wp.float64, requires_grad=True)
