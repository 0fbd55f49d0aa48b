"""Funcs that change their parameter in place."""

# ruff: noqa
import warp as wp


F = wp.float64
A = wp.array(dtype=wp.float64)
INTS = {"n": 3}


@wp.struct
class P:
    a: wp.float64
    b: wp.float64
    v: wp.vec3d


@wp.struct
class Q:
    p: P
    c: wp.float64


@wp.func
def set_a(p: P, s: wp.float64):
    p.a = s  # ADJ104


@wp.func
def scale_a(p: P, s: wp.float64):
    p.a = p.a * s  # ADJ104


@wp.func
def add_a(p: P, s: wp.float64):
    p.a += s  # ADJ104


@wp.func
def scale_lin(p: P):
    p.a = p.a * F(2.0)  # ADJ104


@wp.func
def set_ret(p: P, s: wp.float64):
    p.a = s  # ADJ104
    return p


@wp.func
def set_v(p: P, s: wp.float64):
    p.v = wp.vec3d(s, s, s)  # ADJ104


@wp.func
def set_v0(p: P, s: wp.float64):
    p.v[0] = s


@wp.func
def set_nested(q: Q, s: wp.float64):
    q.p.a = s  # ADJ104


@wp.func
def set_vec(v: wp.vec3d, s: wp.float64):
    v[0] = s  # ADJ104


@wp.func
def read_after(p: P, s: wp.float64):
    p.a = s
    return p.a * p.b


@wp.func
def use_then_set(p: P, s: wp.float64):
    r = p.a * p.b
    p.a = s
    return r


@wp.func
def outer(p: P, s: wp.float64):
    set_a(p, s)


@wp.kernel
def k_set(x: A, y: A, out: A):
    i = wp.tid()
    p = P()
    p.a = x[i]
    p.b = y[i]
    set_a(p, y[i])
    out[i] = p.a * p.b


@wp.kernel
def k_scale(x: A, y: A, out: A):
    i = wp.tid()
    p = P()
    p.a = x[i]
    p.b = y[i]
    scale_a(p, y[i])
    out[i] = p.a * p.b


@wp.kernel
def k_scale_linear_use(x: A, y: A, out: A):
    i = wp.tid()
    p = P()
    p.a = x[i]
    p.b = y[i]
    scale_a(p, y[i])
    out[i] = p.a * F(3.0)


@wp.kernel
def k_add(x: A, y: A, out: A):
    i = wp.tid()
    p = P()
    p.a = x[i]
    p.b = y[i]
    add_a(p, y[i])
    out[i] = p.a * p.b


@wp.kernel
def k_add_linear(x: A, y: A, out: A):
    i = wp.tid()
    p = P()
    p.a = x[i]
    p.b = y[i]
    add_a(p, y[i])
    out[i] = p.a * F(2.0)


@wp.kernel
def k_scale_lin(x: A, y: A, out: A):
    i = wp.tid()
    p = P()
    p.a = x[i]
    p.b = y[i]
    scale_lin(p)
    out[i] = p.a * p.b


@wp.kernel
def k_ret(x: A, y: A, out: A):
    i = wp.tid()
    p = P()
    p.a = x[i]
    p.b = y[i]
    q = set_ret(p, y[i])
    out[i] = q.a * q.b


@wp.kernel
def k_ret_same(x: A, y: A, out: A):
    i = wp.tid()
    p = P()
    p.a = x[i]
    p.b = y[i]
    p = set_ret(p, y[i])
    out[i] = p.a * p.b


@wp.kernel
def k_ret_orig(x: A, y: A, out: A):
    i = wp.tid()
    p = P()
    p.a = x[i]
    p.b = y[i]
    q = set_ret(p, y[i])
    out[i] = q.a * p.a


@wp.kernel
def k_v(x: A, y: A, out: A):
    i = wp.tid()
    p = P()
    p.a = x[i]
    p.b = y[i]
    set_v(p, y[i])
    out[i] = p.v[0] * p.b


@wp.kernel
def k_v0(x: A, y: A, out: A):
    i = wp.tid()
    p = P()
    p.a = x[i]
    p.b = y[i]
    set_v0(p, y[i])
    out[i] = p.v[0] * p.b


@wp.kernel
def k_nested(x: A, y: A, out: A):
    i = wp.tid()
    q = Q()
    q.p.b = y[i]
    q.c = x[i]
    set_nested(q, x[i])
    out[i] = q.p.a * q.p.b


@wp.kernel
def k_vec(x: A, y: A, out: A):
    i = wp.tid()
    v = wp.vec3d(x[i], y[i], y[i])
    set_vec(v, y[i])
    out[i] = v[0] * v[1]


@wp.kernel
def k_vec_def(x: A, y: A, out: A):
    i = wp.tid()
    v = wp.vec3d()
    set_vec(v, y[i])
    out[i] = v[0] * x[i]


@wp.kernel
def k_read_after(x: A, y: A, out: A):
    i = wp.tid()
    p = P()
    p.a = x[i]
    p.b = y[i]
    out[i] = read_after(p, x[i])


@wp.kernel
def k_use_then_set(x: A, y: A, out: A):
    i = wp.tid()
    p = P()
    p.a = x[i]
    p.b = y[i]
    out[i] = use_then_set(p, x[i] * y[i])


@wp.kernel
def k_use_set_const_use(x: A, y: A, out: A):
    i = wp.tid()
    p = P()
    p.a = x[i]
    p.b = y[i]
    r = p.a * p.b
    set_a(p, F(3.0))
    out[i] = r


@wp.kernel
def k_use_set_active(x: A, y: A, out: A):
    i = wp.tid()
    p = P()
    p.a = x[i]
    p.b = y[i]
    r = p.a * p.b
    set_a(p, y[i])
    out[i] = r + p.a


@wp.kernel
def k_default_then_set(x: A, y: A, out: A):
    i = wp.tid()
    p = P()
    set_a(p, y[i])
    out[i] = p.a * x[i]


@wp.kernel
def k_outer(x: A, y: A, out: A):
    i = wp.tid()
    p = P()
    outer(p, y[i])
    out[i] = p.a * x[i]


@wp.kernel
def k_never_read(x: A, y: A, out: A):
    i = wp.tid()
    p = P()
    p.b = y[i]
    set_a(p, x[i])
    out[i] = p.b * y[i]


@wp.kernel
def k_const_over_active(x: A, y: A, out: A):
    i = wp.tid()
    p = P()
    p.a = x[i]
    p.b = y[i]
    set_a(p, F(2.0))
    out[i] = p.a * p.b


@wp.kernel
def k_direct(x: A, y: A, out: A):
    i = wp.tid()
    p = P()
    p.a = x[i]
    p.b = y[i]
    p.a = p.a * y[i]
    out[i] = p.a * p.b
