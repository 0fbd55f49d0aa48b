"""Structs that are arguments of a kernel, with fields assigned in it."""

# ruff: noqa
import warp as wp


F = wp.float64
A = wp.array(dtype=wp.float64)


@wp.struct
class In:
    c: wp.float64
    w: wp.vec3d


@wp.struct
class S:
    a: wp.float64
    b: wp.float64
    v: wp.vec3d
    inner: In
    n: int


ARGUMENT = S()
ARGUMENT.a = F(2.0)
ARGUMENT.b = F(3.0)
ARGUMENT.v = wp.vec3d(1.0, 2.0, 3.0)
ARGUMENT.n = 1
ARGUMENT.inner.c = F(4.0)
INTS = {"s": ARGUMENT}


@wp.kernel
def set_read(x: A, y: A, s: S, out: A):
    i = wp.tid()
    s.a = x[i]  # ADJ104
    out[i] = s.a * y[i]


@wp.kernel
def set_vec(x: A, y: A, s: S, out: A):
    i = wp.tid()
    s.v = wp.vec3d(x[i], y[i], x[i])  # ADJ104
    out[i] = s.v[0] * y[i]


@wp.kernel
def set_vec_comp(x: A, y: A, s: S, out: A):
    i = wp.tid()
    s.v[0] = x[i]  # ADJ111
    out[i] = s.v[0] * y[i]


@wp.kernel
def set_inner(x: A, y: A, s: S, out: A):
    i = wp.tid()
    s.inner.c = x[i]  # ADJ104
    out[i] = s.inner.c * y[i]


@wp.kernel
def set_whole_inner(x: A, y: A, s: S, out: A):
    i = wp.tid()
    t = In()
    t.c = x[i]
    s.inner = t  # ADJ104
    out[i] = s.inner.c * y[i]


@wp.kernel
def add_field(x: A, y: A, s: S, out: A):
    i = wp.tid()
    s.a += x[i]  # ADJ104
    out[i] = s.a * y[i]


@wp.kernel
def set_unused(x: A, y: A, s: S, out: A):
    i = wp.tid()
    s.a = x[i]  # ADJ104
    out[i] = x[i] * y[i]


@wp.kernel
def set_const(x: A, y: A, s: S, out: A):
    i = wp.tid()
    s.a = F(2.0)
    out[i] = s.a * y[i] * x[i]


@wp.kernel
def set_twice(x: A, y: A, s: S, out: A):
    i = wp.tid()
    s.a = x[i]
    s.a = y[i]  # ADJ104
    out[i] = s.a * y[i]


@wp.kernel
def copied(x: A, y: A, s: S, out: A):
    i = wp.tid()
    t = s
    t.a = x[i]
    out[i] = t.a * y[i]


@wp.func
def g(s: S, x: F):
    s.a = x  # ADJ104
    return s.a * x


@wp.kernel
def by_func(x: A, y: A, s: S, out: A):
    i = wp.tid()
    out[i] = g(s, x[i]) * y[i]


@wp.kernel
def set_int(x: A, y: A, s: S, out: A):
    i = wp.tid()
    s.n = i
    out[i] = x[s.n] * y[i]


@wp.kernel
def set_b(x: A, y: A, s: S, out: A):
    i = wp.tid()
    s.b = x[i]  # ADJ104
    out[i] = s.b * y[i]


@wp.kernel
def set_cond(x: A, y: A, s: S, out: A):
    i = wp.tid()
    if i > 0:
        s.a = x[i]  # ADJ104
    out[i] = s.a * y[i]


@wp.kernel
def set_lin_read(x: A, y: A, s: S, out: A):
    i = wp.tid()
    s.a = x[i] * s.b  # ADJ104
    out[i] = s.a


@wp.kernel
def chain(x: A, y: A, s: S, out: A):
    i = wp.tid()
    s.a = x[i]  # ADJ104
    s.b = s.a * s.a  # ADJ104
    out[i] = s.b * y[i]


@wp.kernel
def read_only(x: A, y: A, s: S, out: A):
    i = wp.tid()
    t = s.a * x[i]
    out[i] = t * y[i]


@wp.kernel
def set_in_loop(x: A, y: A, s: S, out: A):
    i = wp.tid()
    for j in range(3):
        s.a = x[j] * y[i]  # ADJ104
        wp.atomic_add(out, j, s.a)


@wp.kernel
def set_again_in_arm(x: A, y: A, s: S, out: A):
    i = wp.tid()
    s.a = x[i]  # ADJ104
    if i > 2:
        s.a = F(1.0)
    out[i] = s.a * y[i]


@wp.kernel
def set_again(x: A, y: A, s: S, out: A):
    i = wp.tid()
    s.a = x[i]
    out[i] = s.a * y[i]
    s.a = F(1.0)


@wp.kernel
def other_field(x: A, y: A, s: S, out: A):
    i = wp.tid()
    s.n = s.n + 1
    out[i] = s.a * x[i] * y[s.n]


@wp.kernel
def whole_local(x: A, y: A, s: S, out: A):
    i = wp.tid()
    t = s
    t.v = wp.vec3d(x[i], y[i], F(0.0))
    out[i] = t.v[0] * t.v[1] * s.a
