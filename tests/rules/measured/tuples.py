"""Tuples of several results, unpacked or kept as an object."""

# ruff: noqa
import warp as wp


F = wp.float64
A = wp.array(dtype=wp.float64)
INTS = {"n": 3}


@wp.func
def two(x: wp.float64, y: wp.float64):
    return x * y, x + y


@wp.func
def two_vec(x: wp.float64, y: wp.float64):
    return wp.vec3d(x, y, x), x * y


@wp.func
def early(x: wp.float64, y: wp.float64):
    if x > F(0.0):
        return x * y, x
    return x + y, y


@wp.func
def nested_two(x: wp.float64, y: wp.float64):
    a, b = two(x, y)
    return a * b, a


@wp.func
def fwd_tuple(x: wp.float64, y: wp.float64):
    return two(x, y)


@wp.kernel
def unpack(x: A, y: A, out: A):
    i = wp.tid()
    a, b = two(x[i], y[i])
    out[i] = a * b


@wp.kernel
def unpack_vec(x: A, y: A, out: A):
    i = wp.tid()
    v, b = two_vec(x[i], y[i])
    out[i] = wp.dot(v, v) * b


@wp.kernel
def unpack_early(x: A, y: A, out: A):
    i = wp.tid()
    a, b = early(x[i], y[i])
    out[i] = a * b


@wp.kernel
def unpack_nested(x: A, y: A, out: A):
    i = wp.tid()
    a, b = nested_two(x[i], y[i])
    out[i] = a * b


@wp.kernel
def unpack_rebind(x: A, y: A, out: A):
    i = wp.tid()
    a = x[i]
    b = y[i]
    a, b = two(a, b)
    a, b = two(a, b)
    out[i] = a * b


@wp.kernel
def unpack_loop(x: A, y: A, out: A, n: int):
    i = wp.tid()
    s = F(0.0)
    for j in range(n):
        a, b = two(x[i], y[j])
        s += a * b
    out[i] = s


@wp.kernel
def unpack_carried(x: A, y: A, out: A, n: int):
    i = wp.tid()
    a = x[i] * F(1.0)
    b = y[i] * F(1.0)
    for j in range(n):
        a, b = two(a, b)  # ADJ105
    out[i] = a


@wp.kernel
def unpack_one_unused(x: A, y: A, out: A):
    i = wp.tid()
    a, _b = two(x[i], y[i])
    out[i] = a


@wp.func
def kept_in_func(x: wp.float64, y: wp.float64):
    t = (x, y)  # ADJ503
    return t[0] * t[1]


@wp.kernel
def fwd(x: A, y: A, out: A, n: int):
    i = wp.tid()
    a, b = fwd_tuple(x[i], y[i])
    out[i] = a * b


@wp.kernel
def kept_calls(x: A, y: A, out: A, n: int):
    i = wp.tid()
    t = (x[i] * y[i], x[i])  # ADJ503
    out[i] = t[0] * t[1]


@wp.kernel
def kept_const(x: A, y: A, out: A, n: int):
    i = wp.tid()
    t = (F(2.0), y[i])  # ADJ503
    out[i] = t[0] * t[1]


@wp.kernel
def kept_const_only(x: A, y: A, out: A, n: int):
    i = wp.tid()
    t = (F(2.0), F(3.0))
    out[i] = t[0] * x[i]


@wp.kernel
def kept_from_func(x: A, y: A, out: A, n: int):
    i = wp.tid()
    t = two(x[i], y[i])  # ADJ503
    out[i] = t[0] * t[1]


@wp.kernel
def kept_from_func_unpack(x: A, y: A, out: A, n: int):
    i = wp.tid()
    t = two(x[i], y[i])  # ADJ503
    a, b = t
    out[i] = a * b


@wp.kernel
def kept_index(x: A, y: A, out: A, n: int):
    i = wp.tid()
    t = (x[i], y[i])  # ADJ503
    out[i] = t[0] * t[1]


@wp.kernel
def kept_index_linear(x: A, y: A, out: A, n: int):
    i = wp.tid()
    t = (x[i], y[i])  # ADJ503
    out[i] = t[0] + t[1]


@wp.kernel
def kept_infunc(x: A, y: A, out: A, n: int):
    i = wp.tid()
    out[i] = kept_in_func(x[i], y[i])


@wp.kernel
def kept_loop(x: A, y: A, out: A, n: int):
    i = wp.tid()
    s = F(0.0)
    t = (x[i], y[i])  # ADJ503
    for j in range(n):
        s += t[0] * t[1]
    out[i] = s


@wp.kernel
def kept_unpack(x: A, y: A, out: A, n: int):
    i = wp.tid()
    t = (x[i], y[i])  # ADJ503
    a, b = t
    out[i] = a * b


@wp.kernel
def kept_vec(x: A, y: A, out: A, n: int):
    i = wp.tid()
    t = (wp.vec3d(x[i], y[i], x[i]), y[i])  # ADJ503
    out[i] = wp.dot(t[0], t[0]) * t[1]


@wp.kernel
def pair(x: A, y: A, out: A, n: int):
    i = wp.tid()
    a, b = x[i] * F(2.0), y[i]
    out[i] = a * b


@wp.kernel
def shape_unpack(x: A, y: A, out: A, n: int):
    i = wp.tid()
    n0 = x.shape[0]
    out[i] = x[i] * x[i] * F(float(n0))


@wp.kernel
def swap(x: A, y: A, out: A, n: int):
    i = wp.tid()
    a = x[i]
    b = y[i] * F(2.0)
    a, b = b, a
    out[i] = a * a * b


@wp.kernel
def kept_unused(x: A, y: A, out: A, n: int):
    i = wp.tid()
    t = (x[i], y[i])
    if t[0] > F(0.0):
        out[i] = x[i] * y[i]


@wp.kernel
def kept_ints(x: A, y: A, out: A, n: int):
    i = wp.tid()
    t = (i, n)
    out[t[0]] = x[i] * F(float(t[1]))


@wp.func
def returns_kept(x: wp.float64, y: wp.float64):
    t = (x * y, x)  # ADJ503
    return t


@wp.kernel
def kept_returned(x: A, y: A, out: A, n: int):
    i = wp.tid()
    a, b = returns_kept(x[i], y[i])
    out[i] = a * b
