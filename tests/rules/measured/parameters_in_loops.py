"""Funcs that change their parameter: loops, branches, later uses."""

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


@wp.func
def loop_x(x: wp.float64, n: int):
    for j in range(n):
        x = x * F(2.0)  # ADJ105
    return x


@wp.func
def loop_add(x: wp.float64, n: int, y: wp.float64):
    for j in range(n):
        x += y  # ADJ105
    return x


@wp.func
def line_x(x: wp.float64):
    x = x * F(2.0)
    return x


@wp.func
def br_x(x: wp.float64):
    if x > F(0.0):
        x = x * F(2.0)
    return x


@wp.func
def vadd(v: wp.vec3d, w: wp.vec3d):
    v += w
    return v[0]


@wp.func
def v0add(v: wp.vec3d, s: wp.float64):
    v[0] += s  # ADJ104


@wp.func
def v0set(v: wp.vec3d, s: wp.float64):
    v[0] = s


@wp.func
def vset_guard(v: wp.vec3d, s: wp.float64):
    if s > F(0.0):
        v[0] = s  # ADJ104


@wp.func
def pset_guard(p: P, s: wp.float64):
    if s > F(0.0):
        p.a = s  # ADJ104


@wp.func
def pset(p: P, s: wp.float64):
    p.a = s  # ADJ104


@wp.func
def pset_b(p: P, s: wp.float64):
    p.b = s


@wp.func
def pset_vec(p: P, s: wp.vec3d):
    p.v = s  # ADJ104


@wp.kernel
def k_loop_used_after(x: A, out: A, n: int):
    i = wp.tid()
    t = x[i] * F(1.5)
    r = loop_x(t, n)
    out[i] = r + t


@wp.kernel
def k_loop_used_before(x: A, out: A, n: int):
    i = wp.tid()
    t = x[i] * F(1.5)
    s = t * F(2.0)
    r = loop_x(t, n)
    out[i] = r + s


@wp.kernel
def k_loop_expr(x: A, out: A, n: int):
    i = wp.tid()
    r = loop_x(x[i], n)
    out[i] = r + x[i]


@wp.kernel
def k_loop_add(x: A, y: A, out: A, n: int):
    i = wp.tid()
    t = x[i] * F(1.5)
    r = loop_add(t, n, y[i])
    out[i] = r + t


@wp.kernel
def k_line(x: A, out: A):
    i = wp.tid()
    t = x[i] * F(1.5)
    r = line_x(t)
    out[i] = r + t


@wp.kernel
def k_br(x: A, out: A):
    i = wp.tid()
    t = x[i] * F(1.5)
    r = br_x(t)
    out[i] = r + t


@wp.kernel
def k_vadd(x: A, y: A, out: A):
    i = wp.tid()
    v = wp.vec3d(x[i], y[i], y[i])
    r = vadd(v, wp.vec3d(y[i], x[i], y[i]))
    out[i] = r + v[0]


@wp.kernel
def k_v0add(x: A, y: A, out: A):
    i = wp.tid()
    v = wp.vec3d(x[i], y[i], y[i])
    v0add(v, y[i])
    out[i] = v[0]


@wp.kernel
def k_v0add_other(x: A, y: A, out: A):
    i = wp.tid()
    v = wp.vec3d(x[i], y[i], y[i])
    v0add(v, y[i])
    out[i] = v[1]


@wp.kernel
def k_v0set_const(x: A, y: A, out: A):
    i = wp.tid()
    v = wp.vec3d(x[i], y[i], y[i])
    v0set(v, F(2.0))
    out[i] = v[0]


@wp.kernel
def k_v0set_before(x: A, y: A, out: A):
    i = wp.tid()
    v = wp.vec3d(x[i], y[i], y[i])
    s = v[0] * y[i]
    v0set(v, x[i])
    out[i] = s


@wp.kernel
def k_vset_guard(x: A, y: A, out: A):
    i = wp.tid()
    v = wp.vec3d(x[i], y[i], y[i])
    vset_guard(v, y[i])
    out[i] = v[0]


@wp.kernel
def k_pset_guard(x: A, y: A, out: A):
    i = wp.tid()
    p = P()
    p.a = x[i]
    p.b = y[i]
    pset_guard(p, y[i])
    out[i] = p.a


@wp.kernel
def k_pset_other_field(x: A, y: A, out: A):
    i = wp.tid()
    p = P()
    p.a = x[i]
    p.b = y[i]
    pset(p, x[i])
    out[i] = p.b * y[i]


@wp.kernel
def k_pset_reassigned(x: A, y: A, out: A):
    i = wp.tid()
    p = P()
    p.a = x[i]
    p.b = y[i]
    pset(p, x[i])
    p.a = y[i]
    out[i] = p.a * y[i]


@wp.kernel
def k_pset_whole_copy(x: A, y: A, out: A):
    i = wp.tid()
    p = P()
    p.a = x[i]
    p.b = y[i]
    q = p
    pset(q, y[i])
    out[i] = p.a


@wp.kernel
def k_pset_copy_after(x: A, y: A, out: A):
    i = wp.tid()
    p = P()
    p.a = x[i]
    p.b = y[i]
    pset(p, y[i])
    q = p
    out[i] = q.a


@wp.kernel
def k_pset_vec(x: A, y: A, out: A):
    i = wp.tid()
    p = P()
    p.v = wp.vec3d(x[i], y[i], x[i])
    pset_vec(p, wp.vec3d(y[i], y[i], y[i]))
    out[i] = p.v[0]


@wp.kernel
def k_pset_unrolled(x: A, y: A, out: A):
    i = wp.tid()
    p = P()
    p.a = x[i]
    p.b = y[i]
    s = F(0.0)
    for j in range(2):
        s += p.a
        pset(p, y[i])
    out[i] = s


@wp.kernel
def k_pset_rolled(x: A, y: A, out: A, n: int):
    i = wp.tid()
    p = P()
    p.a = x[i]
    p.b = y[i]
    s = F(0.0)
    for j in range(n):
        s += p.a
        pset(p, y[i])
    out[i] = s


@wp.kernel
def k_pset_two_calls(x: A, y: A, out: A):
    i = wp.tid()
    p = P()
    p.a = x[i]
    p.b = y[i]
    pset(p, y[i])
    pset_b(p, x[i])
    out[i] = x[i]


@wp.kernel
def k_pset_passed_later(x: A, y: A, out: A):
    i = wp.tid()
    p = P()
    p.a = x[i]
    p.b = y[i]
    pset(p, y[i])
    out[i] = pread(p)


@wp.func
def pread(p: P):
    return p.a * p.b


@wp.kernel
def k_pset_passed_unused_field(x: A, y: A, out: A):
    i = wp.tid()
    p = P()
    p.a = x[i]
    p.b = y[i]
    pset(p, y[i])
    out[i] = pread_b(p)


@wp.func
def pread_b(p: P):
    return p.b * p.b
