"""Elements of a ring: indices modulo a literal, in rolled loops, and indices that count from the end."""

# ruff: noqa
import warp as wp


F = wp.float64
A = wp.array(dtype=wp.float64)
A2 = wp.array2d(dtype=wp.float64)
DIM = 1
INTS = {"n": 4, "m": 6, "k": 3}


@wp.kernel
def ring_of_two(x: A, y: A, st: A, n: int):
    st[0] = x[0]
    for j in range(n):
        st[(j + 1) % 2] = wp.sin(st[j % 2]) * y[j]  # ADJ103


@wp.kernel
def ring_of_two_linear(x: A, st: A, n: int):
    st[0] = x[0]
    for j in range(n):
        st[(j + 1) % 2] = st[j % 2] * F(0.5) + x[j]


@wp.kernel
def ring_of_three(x: A, y: A, st: A, n: int):
    st[0] = x[0]
    for j in range(n):
        st[(j + 1) % 3] = wp.sin(st[j % 3]) * y[j]  # ADJ103


@wp.kernel
def ring_by_bits(x: A, y: A, st: A, n: int):
    st[0] = x[0]
    for j in range(n):
        st[(j + 1) & 1] = st[j & 1] * y[j]  # ADJ103


@wp.kernel
def ring_by_one_minus(x: A, y: A, st: A, n: int):
    st[0] = x[0]
    for j in range(n):
        cur = j % 2
        st[1 - cur] = st[cur] * y[j]  # ADJ103


@wp.kernel
def ring_by_one_minus_linear(x: A, st: A, n: int):
    st[0] = x[0]
    for j in range(n):
        cur = j % 2
        st[1 - cur] = st[cur] * F(2.0) - x[j]


@wp.kernel
def ring_same_place(x: A, st: A, n: int):
    for j in range(n):
        st[j % 2] = st[j % 2] * x[j]  # ADJ102


@wp.kernel
def ring_writes_what_nobody_reads(x: A, st: A, out: A, n: int):
    for j in range(n):
        out[j] = st[2 * j % 2] * x[j]
        st[(2 * j + 1) % 2] = x[j]


@wp.kernel
def ring_two_rows(x: A, st: A2, n: int):
    st[0, 0] = x[0]
    for j in range(n):
        st[(j + 1) % 2, 0] = wp.exp(st[j % 2, 0]) * F(0.1)  # ADJ103


@wp.kernel
def ring_backwards(x: A, st: A, n: int):
    st[1] = x[0]
    for j in range(n):
        st[(j + 3) % 2] = st[(j + 4) % 2] * x[j]  # ADJ103


@wp.kernel
def ring_unrolled(x: A, y: A, st: A):
    st[0] = x[0]
    for j in range(4):
        st[(j + 1) % 2] = wp.sin(st[j % 2]) * y[j]  # ADJ103


@wp.kernel
def last_overwritten(x: A, out: A):
    out[0] = x[-1] * x[-1]
    x[-1] = F(1.0)  # ADJ103


@wp.kernel
def last_by_shape(x: A, out: A):
    n = x.shape[0]
    out[0] = x[-1] * x[-1]
    x[n - 1] = F(1.0)  # ADJ103


@wp.kernel
def last_two_apart(x: A, out: A):
    out[0] = x[-1] * x[-1]
    x[-2] = F(1.0)


@wp.kernel
def last_two_apart_by_shape(x: A, out: A):
    n = x.shape[0]
    out[0] = x[-1] * x[n - 1]
    x[n - 2] = F(1.0)


@wp.kernel
def last_of_a_row(x: A2, out: A):
    out[0] = x[1, -1] * x[1, -1]
    x[1, -1] = F(1.0)  # ADJ103


@wp.kernel
def empty_range(x: A, out: A):
    s = x[0]
    for j in range(3, 3):
        s = s * x[j]
    out[0] = s * s


@wp.kernel
def picked_twice(x: A, out: A):
    f = x[0]
    out[0] = wp.min(f, F(0.4))
    x[0] = wp.min(f, F(0.4))


@wp.kernel
def picked_with_another(x: A, out: A):
    f = x[0]
    out[0] = wp.min(f, F(-0.4))
    x[0] = wp.min(f, F(-1.2))  # ADJ102
