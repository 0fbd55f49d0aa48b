"""Which fields of structs inside structs are used."""

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


@wp.kernel
def unused_nested(x: A, y: A, out: A):
    i = wp.tid()
    q = Q()
    q.p.a = x[i]
    q.p.b = wp.sin(y[i])
    y[i] = F(1.0)
    out[i] = q.p.a


@wp.kernel
def used_nested(x: A, y: A, out: A):
    i = wp.tid()
    q = Q()
    q.p.a = x[i]
    q.p.b = wp.sin(y[i])
    y[i] = F(1.0)  # ADJ103
    out[i] = q.p.b


@wp.kernel
def used_nested_vec(x: A, y: A, out: A):
    i = wp.tid()
    q = Q()
    q.p.v = wp.vec3d(x[i], wp.sin(y[i]), x[i])
    y[i] = F(1.0)  # ADJ103
    out[i] = q.p.v[1]


@wp.kernel
def unused_nested_vec(x: A, y: A, out: A):
    i = wp.tid()
    q = Q()
    q.p.v = wp.vec3d(x[i], wp.sin(y[i]), x[i])
    y[i] = F(1.0)
    out[i] = q.p.v[0]


@wp.kernel
def through_part(x: A, y: A, out: A):
    i = wp.tid()
    q = Q()
    q.p.a = x[i]
    q.p.b = wp.sin(y[i])
    y[i] = F(1.0)  # ADJ103
    p = q.p
    out[i] = p.b


@wp.kernel
def through_part_unused(x: A, y: A, out: A):
    i = wp.tid()
    q = Q()
    q.p.a = x[i]
    q.p.b = wp.sin(y[i])
    y[i] = F(1.0)
    p = q.p
    out[i] = p.a


@wp.kernel
def whole_part(x: A, y: A, out: A):
    i = wp.tid()
    p = P()
    p.a = x[i]
    p.b = wp.sin(y[i])
    y[i] = F(1.0)  # ADJ103
    q = Q()
    q.p = p
    out[i] = q.p.b
