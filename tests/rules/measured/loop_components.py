"""Components of an object that a rolled loop changes, and needs of others."""

# ruff: noqa
import warp as wp


F = wp.float64
A = wp.array(dtype=wp.float64)
A2 = wp.array2d(dtype=wp.float64)
AI = wp.array(dtype=int)
INTS = {"n": 3, "m": 3}


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
def v0_need2(x: A, y: A, out: A, n: int):
    i = wp.tid()
    v = wp.vec3d(F(0.0), x[i], y[i])
    for j in range(n):
        v[0] += x[j]
    out[i] = v[2] * v[2]


@wp.kernel
def v0_need0(x: A, y: A, out: A, n: int):
    i = wp.tid()
    v = wp.vec3d(F(0.0), x[i], y[i])
    for j in range(n):
        v[0] += x[j]  # ADJ106
    out[i] = v[0] * v[0]


@wp.kernel
def v0set_need2(x: A, y: A, out: A, n: int):
    i = wp.tid()
    v = wp.vec3d(F(0.0), x[i], y[i])
    for j in range(n):
        v[0] = x[j]
    out[i] = v[2] * v[2]


@wp.kernel
def v0_dot(x: A, y: A, out: A, n: int):
    i = wp.tid()
    v = wp.vec3d(F(0.0), x[i], y[i])
    for j in range(n):
        v[0] += x[j]  # ADJ106
    out[i] = wp.dot(v, v)


@wp.kernel
def v0_scaled(x: A, y: A, out: A, n: int):
    i = wp.tid()
    v = wp.vec3d(F(0.0), x[i], y[i])
    for j in range(n):
        v[0] += x[j]
    w = v * y[i]
    out[i] = w[2]


@wp.kernel
def v0_before(x: A, y: A, out: A, n: int):
    i = wp.tid()
    v = wp.vec3d(F(0.0), x[i], y[i])
    s = v[2] * v[2]
    for j in range(n):
        v[0] += x[j]
    out[i] = s + v[0]


@wp.kernel
def v0_inside2(x: A, y: A, out: A, n: int):
    i = wp.tid()
    v = wp.vec3d(F(0.0), x[i], y[i])
    for j in range(n):
        v[0] += v[2] * v[2]
    out[i] = v[0]


@wp.kernel
def v0_inside0(x: A, y: A, out: A, n: int):
    i = wp.tid()
    v = wp.vec3d(x[i], x[i], y[i])
    for j in range(n):
        v[0] += v[0] * y[i]  # ADJ105
    out[i] = v[0]


@wp.kernel
def s_a_need_b(x: A, y: A, out: A, n: int):
    i = wp.tid()
    p = P()
    p.b = y[i]
    for j in range(n):
        p.a = p.a + x[j]
    out[i] = p.b * p.b


@wp.kernel
def s_a_need_a(x: A, y: A, out: A, n: int):
    i = wp.tid()
    p = P()
    p.b = y[i]
    for j in range(n):
        p.a = p.a + x[j]  # ADJ106
    out[i] = p.a * p.a


@wp.kernel
def s_a_linear(x: A, y: A, out: A, n: int):
    i = wp.tid()
    p = P()
    p.b = y[i]
    for j in range(n):
        p.a = p.a + x[j]
    out[i] = p.a + p.b * p.b


@wp.kernel
def s_aug(x: A, y: A, out: A, n: int):
    i = wp.tid()
    p = P()
    p.b = y[i]
    for j in range(n):
        p.a += x[j]
    out[i] = p.a * F(2.0) + p.b * p.b


@wp.kernel
def s_inside_b(x: A, y: A, out: A, n: int):
    i = wp.tid()
    p = P()
    p.b = y[i]
    for j in range(n):
        p.a += p.b * p.b * x[j]
    out[i] = p.a


@wp.kernel
def s_inside_a(x: A, y: A, out: A, n: int):
    i = wp.tid()
    p = P()
    p.b = y[i]
    for j in range(n):
        p.a += p.a * x[j] + p.b  # ADJ105
    out[i] = p.a


@wp.kernel
def s_vec_need_a(x: A, y: A, out: A, n: int):
    i = wp.tid()
    p = P()
    p.b = y[i]
    p.a = x[i]
    for j in range(n):
        p.v += wp.vec3d(x[j], y[j], F(1.0))
    out[i] = p.a * p.a + p.v[0]


@wp.kernel
def s_vec_need_v(x: A, y: A, out: A, n: int):
    i = wp.tid()
    p = P()
    p.b = y[i]
    p.a = x[i]
    for j in range(n):
        p.v += wp.vec3d(x[j], y[j], F(1.0))  # ADJ106
    out[i] = wp.dot(p.v, p.v)


@wp.kernel
def nested(x: A, y: A, out: A, n: int):
    i = wp.tid()
    q = Q()
    q.p.a = x[i]
    q.c = y[i]
    for j in range(n):
        q.p.b += x[j]
    out[i] = q.p.a * q.p.a + q.c * q.c


@wp.kernel
def nested_need(x: A, y: A, out: A, n: int):
    i = wp.tid()
    q = Q()
    q.p.a = x[i]
    q.c = y[i]
    for j in range(n):
        q.p.b += x[j]  # ADJ106
    out[i] = q.p.b * q.c


@wp.kernel
def mat_entry(x: A, y: A, out: A, n: int):
    i = wp.tid()
    m = wp.mat22d(F(0.0), x[i], y[i], x[i])
    for j in range(n):
        m[0, 0] += x[j]
    out[i] = m[1, 0] * m[1, 1]


@wp.kernel
def mat_entry_need(x: A, y: A, out: A, n: int):
    i = wp.tid()
    m = wp.mat22d(F(0.0), x[i], y[i], x[i])
    for j in range(n):
        m[0, 0] += x[j]  # ADJ106
    out[i] = m[0, 0] * m[1, 1]


@wp.kernel
def dyn_key(x: A, y: A, out: A, n: int):
    i = wp.tid()
    v = wp.vec3d(F(0.0), F(0.0), F(0.0))
    for j in range(n):
        v[j] += x[j]  # ADJ106
    out[i] = v[2] * v[1]


@wp.kernel
def whole_assigned(x: A, y: A, out: A, n: int):
    i = wp.tid()
    v = wp.vec3d(F(0.0), x[i], y[i])
    for j in range(n):
        v = wp.vec3d(v[0] + x[j], v[1], v[2])
    out[i] = v[2] * v[2]


@wp.kernel
def guarded_comp(x: A, y: A, out: A, n: int):
    i = wp.tid()
    v = wp.vec3d(F(0.0), x[i], y[i])
    for j in range(n):
        if x[j] > F(0.0):
            v[0] += x[j]
    out[i] = v[2] * v[2] + v[0]


@wp.kernel
def two_loops(x: A, y: A, out: A, n: int):
    i = wp.tid()
    v = wp.vec3d(F(0.0), x[i], y[i])
    for j in range(n):
        v[0] += x[j]
    for j in range(n):
        v[1] += v[2] * y[j]
    out[i] = v[1]


@wp.kernel
def two_loops_bad(x: A, y: A, out: A, n: int):
    i = wp.tid()
    v = wp.vec3d(F(0.0), x[i], y[i])
    for j in range(n):
        v[0] += x[j]  # ADJ106
    for j in range(n):
        v[1] += v[0] * y[j]
    out[i] = v[1]


@wp.kernel
def cond(x: A, y: A, out: A, n: int):
    i = wp.tid()
    v = wp.vec3d(F(0.0), x[i], y[i])
    for j in range(n):
        v[0] += x[j]
    if v[2] > F(0.0):
        out[i] = v[0]


@wp.kernel
def setc(x: A, y: A, out: A, n: int):
    i = wp.tid()
    v = wp.vec3d()
    for j in range(n):
        v[0] = x[j]  # ADJ104
        v[1] = v[0] * v[0]
    out[i] = v[1]


@wp.kernel
def copied(x: A, y: A, out: A, n: int):
    i = wp.tid()
    v = wp.vec3d(F(0.0), x[i], y[i])
    for j in range(n):
        v[0] += x[j]
    w = v
    out[i] = w[2] * w[2]


@wp.kernel
def while_comp(x: A, y: A, out: A, n: int):
    i = wp.tid()
    v = wp.vec3d(F(0.0), x[i], y[i])
    j = int(0)
    while j < n:
        v[0] += x[i] * F(2.0)
        j += 1
    out[i] = v[2] * v[2] + v[0]


@wp.kernel
def nested_twice(x: A, y: A, out: A, n: int):
    i = wp.tid()
    q = Q()
    q.p.b = x[i]
    q.p.b = y[i]
    out[i] = q.p.b * x[i]


@wp.kernel
def nested_aug(x: A, y: A, out: A, n: int):
    i = wp.tid()
    q = Q()
    q.p.b = x[i]
    q.p.b += y[i]
    out[i] = q.p.b * x[i]


@wp.kernel
def nested_mul(x: A, y: A, out: A, n: int):
    i = wp.tid()
    q = Q()
    q.p.b = x[i]
    q.p.b *= y[i]
    out[i] = q.p.b * x[i]


@wp.kernel
def nested_vec(x: A, y: A, out: A, n: int):
    i = wp.tid()
    q = Q()
    q.p.v = wp.vec3d(x[i], x[i], x[i])
    q.p.v = wp.vec3d(y[i], x[i], y[i])
    out[i] = wp.dot(q.p.v, q.p.v)


@wp.kernel
def nested_vec_comp(x: A, y: A, out: A, n: int):
    i = wp.tid()
    q = Q()
    q.p.v = wp.vec3d(x[i], x[i], x[i])
    q.p.v[0] = y[i]  # ADJ104, ADJ111
    out[i] = wp.dot(q.p.v, q.p.v)


@wp.kernel
def nested_whole(x: A, y: A, out: A, n: int):
    i = wp.tid()
    q = Q()
    q.p.b = x[i]
    q.p.a = y[i]
    p = P()
    p.b = y[i]
    q.p = p
    out[i] = q.p.b * x[i] + q.p.a


@wp.kernel
def struct_vec_twice(x: A, y: A, out: A, n: int):
    i = wp.tid()
    p = P()
    p.v = wp.vec3d(x[i], x[i], x[i])
    p.v = wp.vec3d(y[i], x[i], y[i])
    out[i] = wp.dot(p.v, p.v)


@wp.kernel
def struct_vec_aug(x: A, y: A, out: A, n: int):
    i = wp.tid()
    p = P()
    p.v = wp.vec3d(x[i], x[i], x[i])
    p.v += wp.vec3d(y[i], x[i], y[i])
    out[i] = wp.dot(p.v, p.v)


@wp.kernel
def scaled_then_set(x: A, y: A, out: A, n: int):
    i = wp.tid()
    v = wp.vec3d(F(0.0), x[i], y[i])
    w = v * y[i]
    v[0] = x[i]
    out[i] = w[2]


@wp.kernel
def scaled_then_set0(x: A, y: A, out: A, n: int):
    i = wp.tid()
    v = wp.vec3d(F(0.0), x[i], y[i])
    w = v * y[i]
    v[0] = x[i]  # ADJ104
    out[i] = w[0]


@wp.kernel
def scaled_then_add0(x: A, y: A, out: A, n: int):
    i = wp.tid()
    v = wp.vec3d(F(0.5), x[i], y[i])
    w = y[i] * v
    v[0] += x[i]  # ADJ104
    out[i] = w[0]


@wp.kernel
def scaled_then_add1(x: A, y: A, out: A, n: int):
    i = wp.tid()
    v = wp.vec3d(F(0.5), x[i], y[i])
    w = v / y[i]
    v[0] += x[i]
    out[i] = w[1]
