"""Two loops over one array."""

# ruff: noqa
import warp as wp


F = wp.float64
A = wp.array(dtype=wp.float64)
A2 = wp.array2d(dtype=wp.float64)
AI = wp.array(dtype=int)
INTS = {"n": 6, "m": 3, "cnt": [6, 5, 6, 4, 6, 6]}


@wp.kernel
def basic(a: A2, out: A, n: int):
    i = wp.tid()
    for j in range(n):
        out[i] += a[i, j] * a[i, j]
    for k in range(n):
        a[i, k] = F(1.0)  # ADJ103


@wp.kernel
def scaled(a: A2, out: A, n: int):
    i = wp.tid()
    for j in range(n):
        out[i] += a[i, j] * a[i, j]
    for k in range(n):
        a[i, k] *= F(2.0)  # ADJ103


@wp.kernel
def linear_ok(a: A2, out: A, n: int):
    i = wp.tid()
    for j in range(n):
        out[i] += a[i, j] * F(2.0)
    for k in range(n):
        a[i, k] = F(1.0)


@wp.kernel
def unrolled_read(a: A2, out: A, n: int):
    i = wp.tid()
    for j in range(6):
        out[i] += a[i, j] * a[i, j]
    for k in range(n):
        a[i, k] = F(1.0)  # ADJ103


@wp.kernel
def unrolled_write(a: A2, out: A, n: int):
    i = wp.tid()
    for j in range(n):
        out[i] += a[i, j] * a[i, j]
    for k in range(6):
        a[i, k] = F(1.0)  # ADJ103


@wp.kernel
def unrolled_write_one(a: A2, out: A, n: int):
    i = wp.tid()
    for j in range(n):
        out[i] += a[i, j] * a[i, j]
    a[i, 0] = F(1.0)  # ADJ103


@wp.kernel
def shifted_start(a: A2, out: A, n: int):
    i = wp.tid()
    for j in range(n):
        out[i] += a[i, j] * a[i, j]
    for k in range(1, n):
        a[i, k] = F(1.0)  # ADJ103


@wp.kernel
def other_bound(a: A2, out: A, n: int, m: int):
    i = wp.tid()
    for j in range(n):
        out[i] += a[i, j] * a[i, j]
    for k in range(m):
        a[i, k] = F(1.0)  # ADJ103


@wp.kernel
def split(a: A2, out: A, n: int, m: int):
    i = wp.tid()
    for j in range(m):
        out[i] += a[i, j] * a[i, j]
    for k in range(m, n):
        a[i, k] = F(1.0)


@wp.kernel
def n_minus_one(a: A2, out: A, n: int):
    i = wp.tid()
    for j in range(n - 1):
        out[i] += a[i, j] * a[i, j]
    for k in range(n - 1):
        a[i, k + 1] = F(1.0)  # ADJ103


@wp.kernel
def other_rows(a: A2, out: A, n: int, m: int):
    i = wp.tid()
    for j in range(m):
        out[i] += a[i, 2 * j] * a[i, 2 * j]
    for k in range(m):
        a[i, 2 * k + 1] = F(1.0)


@wp.kernel
def bound_from_array(a: A2, out: A, cnt: AI):
    i = wp.tid()
    for j in range(cnt[i]):
        out[i] += a[i, j] * a[i, j]
    for k in range(cnt[i]):
        a[i, k] = F(1.0)  # ADJ103


@wp.kernel
def softmax(a: A2, out: A, n: int):
    i = wp.tid()
    s = F(0.0)
    for j in range(n):
        s += wp.exp(a[i, j])  # ADJ106
    for k in range(n):
        a[i, k] = wp.exp(a[i, k]) / s  # ADJ102


@wp.kernel
def variance(a: A2, out: A, n: int):
    i = wp.tid()
    s = F(0.0)
    for j in range(n):
        s += a[i, j] * a[i, j]
    for k in range(n):
        a[i, k] = a[i, k] + s  # ADJ102


@wp.kernel
def reverse(a: A2, out: A, n: int):
    i = wp.tid()
    for j in range(n):
        out[i] += a[i, j] * a[i, j]
    for k in range(n):
        a[i, n - 1 - k] = F(1.0)  # ADJ103


@wp.kernel
def whiles(a: A2, out: A, n: int):
    i = wp.tid()
    for j in range(n):
        out[i] += a[i, j] * a[i, j]
    k = int(0)
    while k < n:
        a[i, k] = F(1.0)
        k += 1  # ADJ105


@wp.kernel
def nested(a: A2, out: A, n: int, m: int):
    i = wp.tid()
    for t in range(m):
        for j in range(n):
            out[i] += a[i, j] * a[i, j]
        for k in range(n):
            a[i, k] = a[i, k] + F(1.0)  # ADJ103


@wp.kernel
def before_only(a: A2, out: A, n: int):
    i = wp.tid()
    for k in range(n):
        a[i, k] = F(1.0) * F(i)
    for j in range(n):
        out[i] += a[i, j] * a[i, j]


@wp.func
def norm(a: A2, i: int, n: int):
    s = F(0.0)
    for j in range(n):
        s += a[i, j] * a[i, j]
    return s


@wp.kernel
def in_func(a: A2, out: A, n: int):
    i = wp.tid()
    s = norm(a, i, n)
    for k in range(n):
        a[i, k] = a[i, k] + s  # ADJ102


@wp.kernel
def guarded(a: A2, out: A, n: int):
    i = wp.tid()
    for j in range(n):
        out[i] += a[i, j] * a[i, j]
    for k in range(n):
        if k > 1:
            a[i, k] = F(1.0)  # ADJ103


@wp.kernel
def pairs(a: A2, out: A, n: int):
    i = wp.tid()
    for j in range(n):
        for k in range(j + 1, n):
            out[i] += a[i, j] * a[i, k]
    for l in range(n):
        a[i, l] = F(1.0)  # ADJ103


@wp.kernel
def prefix(a: A2, out: A, n: int):
    i = wp.tid()
    for j in range(n):
        for k in range(j):
            out[i] += a[i, k] * a[i, k]
    for l in range(n):
        a[i, l] = F(1.0)  # ADJ103


@wp.kernel
def tail(a: A2, out: A, n: int, m: int):
    i = wp.tid()
    for j in range(m, n):
        out[i] += a[i, j] * a[i, j]
    for l in range(m):
        a[i, l] = F(1.0)


@wp.kernel
def stride(a: A2, out: A, n: int, m: int):
    i = wp.tid()
    for j in range(0, n, 2):
        out[i] += a[i, j] * a[i, j]
    for l in range(1, n, 2):
        a[i, l] = F(1.0)


@wp.kernel
def offset_by_n(a: A2, out: A, m: int):
    i = wp.tid()
    for j in range(m):
        out[i] += a[i, j] * a[i, j]
    for l in range(m):
        a[i, l + m] = F(1.0)
