"""Overwrites and needs under conditions: in arms that exclude each other, and of elements that a condition names."""

# ruff: noqa
import warp as wp


F = wp.float64
A = wp.array(dtype=wp.float64)
AI = wp.array(dtype=int)
INTS = {"kind": [0, 1, 2, 1, 2, 0], "n": 3, "k": 2}


@wp.kernel
def arms(a: A, b: A, out: A, kind: AI):
    i = wp.tid()
    x = a[i]
    r = F(0.0)
    if kind[i] == 1:
        a[i] = b[i]
        r = b[i] * b[i]
    elif kind[i] == 2:
        r = F(1.0)
    else:
        r = x * x
    out[i] = r


@wp.kernel
def arms_needed_behind(a: A, b: A, out: A, kind: AI):
    i = wp.tid()
    x = a[i]
    r = b[i]
    if kind[i] == 1:
        a[i] = b[i]
    else:
        r = x
    out[i] = r * r


@wp.kernel
def arms_needed_in_both(a: A, b: A, out: A, kind: AI):
    i = wp.tid()
    x = a[i]
    r = x
    if kind[i] == 1:
        a[i] = b[i]  # ADJ103
    else:
        r = b[i]
    out[i] = r * r


@wp.kernel
def product_before(a: A, b: A, out: A, kind: AI):
    i = wp.tid()
    x = a[i] * a[i]
    if kind[i] == 1:
        a[i] = b[i]  # ADJ103
    else:
        out[i] = x * b[i]
    out[i] += x


@wp.kernel
def arms_of_a_pass(a: A, b: A, out: A, kind: AI):
    i = wp.tid()
    for j in range(i, i + 1):
        x = a[j]
        if kind[j] == 1:
            a[j] = b[i]
        else:
            out[j] = x * x


@wp.kernel
def arms_of_other_passes(a: A, b: A, out: A, kind: AI, n: int):
    i = wp.tid()
    x = a[i]
    for j in range(n):
        if kind[j] == 1:
            a[i] = b[i]  # ADJ103
        else:
            wp.atomic_add(out, i, x * x)


@wp.kernel
def written_twice(a: A, b: A, out: A):
    i = wp.tid()
    if i == 0:
        out[i] = a[i] * a[i]
    if i != 0:
        a[i] = b[i]


@wp.kernel
def written_twice_below(a: A, b: A, out: A):
    i = wp.tid()
    x = a[i]
    if i < 3:
        out[i] = x * x
    if i > 2:
        a[i] = b[i]


@wp.kernel
def written_twice_meets(a: A, b: A, out: A):
    i = wp.tid()
    x = a[i]
    if i < 3:
        out[i] = x * x
    if i >= 2:
        a[i] = b[i]  # ADJ103


@wp.kernel
def kinds(a: A, b: A, out: A, kind: AI):
    i = wp.tid()
    x = a[i]
    if kind[i] == 1:
        a[i] = b[i]
    if kind[i] == 2 and i > 0:
        out[i] = x * x


@wp.kernel
def not_both(a: A, b: A, out: A, kind: AI):
    i = wp.tid()
    x = a[i]
    odd = kind[i] == 1
    if odd:
        a[i] = b[i]
    if not odd:
        out[i] = x * x


@wp.kernel
def either(a: A, b: A, out: A, kind: AI):
    i = wp.tid()
    x = a[i]
    if kind[i] == 1 or i == 3:
        a[i] = b[i]  # ADJ103
    if kind[i] != 1:
        out[i] = x * x
    if i == 3:
        out[i] = x * x


@wp.kernel
def count_changed(a: A, b: A, out: A):
    i = wp.tid()
    c = i
    x = a[i]
    if c == 0:
        a[i] = b[i]  # ADJ103
    c = c + 1
    if c != 0:
        out[i] = x * x


@wp.kernel
def boundary(a: A, out: A):
    i = wp.tid()
    out[i] = a[i] * a[i]
    if i == 0:
        a[0] = F(1.0)  # ADJ103


@wp.kernel
def boundary_last(a: A, out: A, n: int):
    i = wp.tid()
    out[i] = a[i] * a[i]
    if i == n - 1:
        a[n - 1] = F(1.0)  # ADJ103


@wp.kernel
def boundary_both(a: A, out: A, n: int):
    i = wp.tid()
    out[i] = a[i] * a[i]
    if i == 0 or i == n - 1:
        a[i] = F(1.0)  # ADJ103


@wp.kernel
def boundary_linear(a: A, out: A):
    i = wp.tid()
    out[i] = F(3.0) * a[i]
    if i == 0:
        a[0] = F(1.0)


@wp.kernel
def boundary_before(a: A, out: A):
    i = wp.tid()
    if i == 0:
        a[0] = F(1.0)
    out[i] = a[i] * a[i]


@wp.kernel
def boundary_skipped(a: A, out: A):
    i = wp.tid()
    if i != 0:
        out[i] = a[i] * a[i]
    if i == 0:
        a[0] = F(1.0)


@wp.kernel
def boundary_returns(a: A, out: A):
    i = wp.tid()
    if i == 0:
        a[0] = F(1.0)
        return
    out[i] = a[i] * a[i]


@wp.kernel
def boundary_read(a: A, b: A, out: A):
    i = wp.tid()
    if i == 2:
        out[i] = a[2] * b[i]
    a[i] = F(1.0)  # ADJ103


@wp.kernel
def boundary_arm_or(a: A, out: A, n: int):
    i = wp.tid()
    out[i] = a[i] * a[i]
    if i >= 0 and i == n - 1:
        a[n - 1] = F(1.0)  # ADJ103
