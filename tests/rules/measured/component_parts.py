"""Components whose adjoint an operation reads or reaches, and those it doesn't."""

# ruff: noqa
import warp as wp


F = wp.float64
A = wp.array(dtype=wp.float64)
AI = wp.array(dtype=int)
AM = wp.array(dtype=wp.mat22d)
INTS = {"mask": [1, 0, 1, 1, 0, 1], "n": 4}


@wp.kernel
def c_dot_then_set(x: A, y: A, o: A):
    i = wp.tid()
    v = wp.vec3d(x[i], y[i], F(1.0))
    o[i] = wp.dot(v, v)
    v[2] = x[i]
    o[i] += v[2]


@wp.kernel
def c_sum_then_set(x: A, y: A, o: A):
    i = wp.tid()
    v = wp.vec3d(x[i], y[i], F(1.0))
    w = v + v
    v[2] = x[i]
    o[i] = w[0] + v[2]


@wp.kernel
def c_const_comp_set(x: A, y: A, o: A):
    i = wp.tid()
    v = wp.vec3d(x[i], y[i], F(1.0))
    v[2] = x[i]
    o[i] = wp.dot(v, v)


@wp.kernel
def c_isub_after_mul(x: A, y: A, o: A):
    i = wp.tid()
    v = wp.vec3d(x[i], y[i], x[i])
    w = v * y[i]
    v[0] -= y[i]  # ADJ104
    o[i] = v[0] + w[0]


@wp.kernel
def c_iadd_after_mul_const(x: A, y: A, o: A):
    i = wp.tid()
    v = wp.vec3d(x[i], y[i], x[i])
    w = v * F(2.0)
    v[0] += y[i]
    o[i] = v[0] + w[0]


@wp.kernel
def c_mat_load_set(m: AM, y: A, o: A):
    i = wp.tid()
    k = m[i]
    k[0, 0] = y[i]  # ADJ104
    o[i] = wp.determinant(k)


@wp.kernel
def c_mat_load_set_trace(m: AM, y: A, o: A):
    i = wp.tid()
    k = m[i]
    k[0, 1] = y[i]
    o[i] = wp.trace(k)


@wp.kernel
def c_mat_outer_set(x: A, y: A, o: A):
    i = wp.tid()
    k = wp.outer(wp.vec2d(x[i], y[i]), wp.vec2d(F(1.0), F(2.0)))
    k[0, 0] = y[i]  # ADJ104
    o[i] = k[0, 0] * k[1, 1]


@wp.kernel
def c_diag_plus_const_set(x: A, y: A, o: A):
    i = wp.tid()
    k = wp.diag(wp.vec2d(x[i], y[i])) + wp.mat22d(F(1.0), F(2.0), F(3.0), F(4.0))
    k[0, 1] = y[i]
    o[i] = k[0, 1] * k[0, 0]


@wp.kernel
def c_diag_plus_mat_set(x: A, y: A, m: AM, o: A):
    i = wp.tid()
    k = wp.diag(wp.vec2d(x[i], y[i])) + m[i]
    k[0, 1] = y[i]  # ADJ104
    o[i] = k[0, 1] * k[0, 0]


@wp.kernel
def c_diag_diag_set(x: A, y: A, o: A):
    i = wp.tid()
    k = wp.diag(wp.vec2d(x[i], y[i]))
    k[0, 0] = y[i]  # ADJ104
    o[i] = k[0, 0] * k[1, 1]


@wp.kernel
def c_skew_off_set(x: A, y: A, o: A):
    i = wp.tid()
    k = wp.skew(wp.vec3d(x[i], y[i], F(1.0)))
    k[0, 1] = y[i]
    o[i] = k[0, 1] * k[1, 0] + k[0, 1]


@wp.kernel
def c_branch_each(x: A, y: A, o: A, mask: AI):
    i = wp.tid()
    v = wp.vec2d(F(0.0), y[i])
    if mask[i] == 1:
        v[0] = x[i]
    else:
        v[0] = x[i] * F(2.0)
    o[i] = v[0] * v[1]


@wp.kernel
def c_branch_two_ifs(x: A, y: A, o: A, mask: AI):
    i = wp.tid()
    v = wp.vec2d(F(0.0), y[i])
    if mask[i] == 1:
        v[0] = x[i]
    if mask[i] != 1:
        v[0] = x[i] * F(2.0)
    o[i] = v[0] * v[1]


@wp.kernel
def c_branch_two_sure(x: A, y: A, o: A, mask: AI):
    i = wp.tid()
    v = wp.vec2d(F(0.0), y[i])
    v[0] = x[i]
    if mask[i] == 1:
        v[0] = x[i] * F(2.0)  # ADJ104
    o[i] = v[0] * v[1]


@wp.kernel
def c_loop_transposes(m: AM, x: A, o: A, n: int):
    i = wp.tid()
    k = m[i]
    for j in range(n):
        k = wp.transpose(k)
    k[0, 1] = x[i]  # ADJ104
    o[i] = k[0, 0] + k[0, 1]


@wp.kernel
def c_loop_sums(m: AM, x: A, o: A, n: int):
    i = wp.tid()
    k = m[i]
    for j in range(n):
        k = k + m[j]
    k[0, 1] = x[i]  # ADJ104
    o[i] = k[0, 0] + k[0, 1]
