"""What the adjoints of atomic minima and maxima compare."""

# ruff: noqa
import warp as wp


F = wp.float64
A = wp.array(dtype=wp.float64)
AI = wp.array(dtype=int)
INTS = {"ix": [0, 2, 2, 1, 5, 3], "perm": [3, 0, 5, 1, 2, 4], "n": 3}


@wp.kernel
def sum_then_max(a: A, b: A, n: int):
    i = wp.tid()
    a[i] = F(-10.0)
    s = F(0.0)
    for j in range(n):
        s += b[j]  # ADJ106
    wp.atomic_max(a, i, s)


@wp.kernel
def value_overwritten(a: A, b: A):
    i = wp.tid()
    a[i] = F(-10.0)
    wp.atomic_max(a, i, b[i])
    b[i] = F(0.3)  # ADJ103


@wp.kernel
def max_then_guarded_store(a: A, b: A, c: A):
    i = wp.tid()
    a[i] = F(-10.0)
    wp.atomic_max(a, i, b[i])
    if c[i] > F(0.0):
        a[i] = c[i]


@wp.kernel
def max_read_store(a: A, b: A, out: A):
    i = wp.tid()
    a[i] = F(-10.0)
    wp.atomic_max(a, i, b[i])
    out[i] = a[i] * F(2.0)
    a[i] = F(1.0)  # ADJ103


@wp.kernel
def max_read_max(a: A, b: A, c: A, out: A):
    i = wp.tid()
    a[i] = F(-10.0)
    wp.atomic_max(a, i, b[i])
    out[i] = a[i] * F(2.0)
    wp.atomic_max(a, i, c[i])  # ADJ103


@wp.kernel
def add_then_max(a: A, b: A, c: A):
    i = wp.tid()
    a[i] = F(0.1)
    wp.atomic_add(a, i, b[i])
    wp.atomic_max(a, i, c[i])  # ADJ109


@wp.kernel
def max_then_scale(a: A, b: A):
    i = wp.tid()
    a[i] = F(-10.0)
    wp.atomic_max(a, i, b[i])
    a[i] = a[i] * F(2.0)  # ADJ103


@wp.kernel
def max_min(a: A, b: A, c: A):
    i = wp.tid()
    a[i] = F(-10.0)
    wp.atomic_max(a, i, b[i])
    wp.atomic_min(a, i, c[i])


@wp.func
def put(a: A, i: int, v: wp.float64):
    wp.atomic_max(a, i, v)


@wp.kernel
def max_in_func(a: A, b: A):
    i = wp.tid()
    a[i] = F(-10.0)
    put(a, i, b[i])


@wp.kernel
def max_carried(a: A, b: A, n: int):
    i = wp.tid()
    a[i] = F(-10.0)
    s = F(0.0)
    for j in range(n):
        s += b[j]  # ADJ105
        wp.atomic_max(a, i, s)


@wp.kernel
def max_comp(a: A, b: wp.array(dtype=wp.vec3d)):
    i = wp.tid()
    a[i] = F(-10.0)
    v = b[i]
    wp.atomic_max(a, i, v[0])
    v[0] = F(7.0)
    wp.atomic_max(a, i, v[1])


@wp.kernel
def vec_max(a: wp.array(dtype=wp.vec3d), b: wp.array(dtype=wp.vec3d)):
    i = wp.tid()
    wp.atomic_max(a, i, b[i])  # ADJ109


@wp.kernel
def vec_max_init(a: wp.array(dtype=wp.vec3d), b: wp.array(dtype=wp.vec3d)):
    i = wp.tid()
    a[i] = wp.vec3d(F(-9.0), F(-9.0), F(-9.0))
    wp.atomic_max(a, i, b[i])


@wp.kernel
def max_returned(a: A, b: A, out: A):
    i = wp.tid()
    a[i] = F(-10.0)
    old = wp.atomic_max(a, i, b[i])
    out[i] = old * F(2.0)


@wp.kernel
def exch_clears(a: A, b: A, c: A):
    i = wp.tid()
    a[i] = b[i]
    wp.atomic_exch(a, i, c[i])  # ADJ109
