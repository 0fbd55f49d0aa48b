"""Slices and rows of arrays inside kernels, as names and as arguments of funcs."""

# ruff: noqa
import warp as wp


F = wp.float64
A = wp.array(dtype=wp.float64)
A2 = wp.array2d(dtype=wp.float64)
AV = wp.array(dtype=wp.vec3d)
INTS = {"k": 2}


@wp.func
def square_row(r: A, j: int):
    return r[j] * r[j]


@wp.func
def clear(r: A, j: int):
    r[j] = F(1.0)  # ADJ103


@wp.func
def clear_quietly(r: A, j: int):
    r[j] = F(1.0)


@wp.kernel
def slice_overwritten(x: A, out: A):
    i = wp.tid()
    s = x[0:6]
    out[i] = s[i] * s[i]
    s[i] = F(1.0)  # ADJ103


@wp.kernel
def slice_of_the_array(x: A, out: A):
    i = wp.tid()
    s = x[0:6]
    out[i] = s[i] * s[i]
    x[i] = F(1.0)  # ADJ103


@wp.kernel
def slice_shifted(x: A2, out: A2):
    i = wp.tid()
    s = x[i, 1:4]
    out[i, 0] = s[0] * s[0]
    x[i, 1] = F(1.0)  # ADJ103


@wp.kernel
def slice_apart(x: A2, out: A2):
    i = wp.tid()
    s = x[i, 1:4]
    out[i, 0] = s[0] * s[0]
    x[i, 0] = F(1.0)


@wp.kernel
def slice_by_argument(x: A2, out: A2, k: int):
    i = wp.tid()
    s = x[i, k:]
    out[i, 0] = s[1] * s[1]
    x[i, k + 1] = F(1.0)  # ADJ103


@wp.kernel
def slice_of_slice(x: A2, out: A2):
    i = wp.tid()
    s = x[i, 1:5]
    t = s[1:3]
    out[i, 0] = t[0] * t[0]
    x[i, 2] = F(1.0)  # ADJ103


@wp.kernel
def row_overwritten(x: A2, out: A2):
    i = wp.tid()
    r = x[i]
    out[i, 0] = r[2] * r[2]
    x[i, 2] = F(1.0)  # ADJ103


@wp.kernel
def row_other_element(x: A2, out: A2):
    i = wp.tid()
    r = x[i]
    out[i, 0] = r[2] * r[2]
    x[i, 3] = F(1.0)


@wp.kernel
def row_in_func(x: A2, out: A2):
    i = wp.tid()
    out[i, 0] = square_row(x[i], 2)
    x[i, 2] = F(1.0)  # ADJ103


@wp.kernel
def row_cleared_by_func(x: A2, out: A2):
    i = wp.tid()
    out[i, 0] = x[i, 2] * x[i, 2]
    clear(x[i], 2)


@wp.kernel
def other_row_cleared_by_func(x: A2, out: A2, y: A2):
    i = wp.tid()
    out[i, 0] = x[i, 2] * x[i, 2]
    clear_quietly(y[i], 2)


@wp.kernel
def slice_cleared_by_func(x: A2, out: A2):
    i = wp.tid()
    out[i, 0] = x[i, 2] * x[i, 2]
    clear(x[i, 1:4], 1)


@wp.kernel
def slice_cleared_beside(x: A2, out: A2):
    i = wp.tid()
    out[i, 0] = x[i, 2] * x[i, 2]
    clear_quietly(x[i, 1:4], 2)


@wp.kernel
def row_in_place(x: A2, out: A2):
    i = wp.tid()
    r = x[i]
    r[1] = wp.sin(r[1])  # ADJ102


@wp.kernel
def row_sum(x: A2, out: A2):
    i = wp.tid()
    r = x[i]
    s = F(0.0)
    for j in range(r.shape[0]):
        s += r[j] * r[j]
    out[i, 0] = s


@wp.kernel
def row_divided_by_sum(x: A2, out: A2):
    i = wp.tid()
    r = x[i]
    s = F(4.0)
    for j in range(r.shape[0]):
        s += r[j]  # ADJ106
    out[i, 0] = r[0] / s
