"""Atomic minima and maxima of floats."""

# ruff: noqa
import warp as wp


F = wp.float64
A = wp.array(dtype=wp.float64)
AI = wp.array(dtype=int)
INTS = {"ix": [0, 2, 2, 1, 5, 3], "perm": [3, 0, 5, 1, 2, 4]}


@wp.kernel
def max_active(a: A, b: A):
    i = wp.tid()
    wp.atomic_max(a, i, b[i])  # ADJ109


@wp.kernel
def min_active(a: A, b: A):
    i = wp.tid()
    wp.atomic_min(a, i, b[i])  # ADJ109


@wp.kernel
def max_shared(a: A, b: A, ix: AI):
    i = wp.tid()
    wp.atomic_max(a, ix[i], b[i])  # ADJ109


@wp.kernel
def max_const_init(a: A, b: A):
    i = wp.tid()
    a[i] = F(-10.0)
    wp.atomic_max(a, i, b[i])


@wp.kernel
def max_active_init(a: A, b: A, c: A):
    i = wp.tid()
    a[i] = c[i]
    wp.atomic_max(a, i, b[i])  # ADJ109


@wp.kernel
def max_two(a: A, b: A, c: A):
    i = wp.tid()
    a[i] = F(-10.0)
    wp.atomic_max(a, i, b[i])
    wp.atomic_max(a, i, c[i])


@wp.kernel
def max_loop(a: A, b: A):
    i = wp.tid()
    a[i] = F(-10.0)
    for j in range(6):
        wp.atomic_max(a, i, b[j])


@wp.kernel
def max_nonlinear(a: A, b: A):
    i = wp.tid()
    a[i] = F(-10.0)
    wp.atomic_max(a, i, b[i] * b[i])


@wp.kernel
def max_then_read(a: A, b: A, out: A):
    i = wp.tid()
    a[i] = F(0.1)
    wp.atomic_max(a, i, b[i])
    out[i] = a[i] * a[i]


@wp.kernel
def max_zero(a: A, b: A):
    i = wp.tid()
    wp.atomic_max(a, 0, b[i])  # ADJ109


@wp.kernel
def max_const_onto_active(a: A, b: A):
    i = wp.tid()
    wp.atomic_max(a, i, F(0.3))  # ADJ109


@wp.kernel
def max_then_store(a: A, b: A, out: A):
    i = wp.tid()
    a[i] = F(-10.0)
    wp.atomic_max(a, i, b[i])
    a[i] = b[i] * F(2.0)


@wp.kernel
def max_then_add(a: A, b: A, c: A):
    i = wp.tid()
    a[i] = F(-10.0)
    wp.atomic_max(a, i, b[i])
    wp.atomic_add(a, i, c[i])  # ADJ103
