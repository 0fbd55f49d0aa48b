"""Components assigned more than once."""

# ruff: noqa
import warp as wp


F = wp.float64
A = wp.array(dtype=wp.float64)
INTS = {"n": 3}


@wp.kernel
def twice_constant(x: A, y: A, out: A):
    i = wp.tid()
    v = wp.vec3d(x[i], y[i], x[i])
    v[0] = F(1.0)
    v[0] = F(2.0)  # ADJ104
    out[i] = v[0]


@wp.kernel
def twice_constant_other(x: A, y: A, out: A):
    i = wp.tid()
    v = wp.vec3d(x[i], y[i], x[i])
    v[0] = F(1.0)
    v[0] = F(2.0)
    out[i] = v[1]


@wp.kernel
def default_twice_constant(x: A, y: A, out: A):
    i = wp.tid()
    v = wp.vec3d()
    v[0] = F(1.0)
    v[0] = x[i]
    out[i] = v[0]


@wp.kernel
def unrolled(x: A, y: A, out: A):
    i = wp.tid()
    v = wp.vec3d(x[i], y[i], x[i])
    for j in range(2):
        v[2] = F(1.5)  # ADJ104
    out[i] = v[2] * y[i]


@wp.kernel
def branch(x: A, y: A, out: A):
    i = wp.tid()
    v = wp.vec3d(x[i], y[i], x[i])
    if x[i] > F(0.0):
        v[0] = F(1.0)
    v[0] = F(2.0)  # ADJ104
    out[i] = v[0]


@wp.kernel
def rebuilt(x: A, y: A, out: A):
    i = wp.tid()
    v = wp.vec3d(x[i], y[i], x[i])
    v = wp.vec3d(F(1.0), v[1], v[2])
    v = wp.vec3d(F(2.0), v[1], v[2])
    out[i] = v[0] * v[1]


@wp.kernel
def added_then_set(x: A, y: A, out: A):
    i = wp.tid()
    v = wp.vec3d(F(0.0), y[i], y[i])
    v[0] += x[i]
    v[0] = F(2.0)  # ADJ104
    out[i] = v[0] * y[i]


@wp.kernel
def matrix(x: A, y: A, out: A):
    i = wp.tid()
    m = wp.mat22d(x[i], y[i], x[i], y[i])
    m[0, 1] = F(1.0)
    m[0, 1] = F(3.0)  # ADJ104
    out[i] = m[0, 1] * x[i]
