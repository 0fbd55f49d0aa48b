"""Funcs that the replay runs again, and that decide again."""

# ruff: noqa
import warp as wp


F = wp.float64
A = wp.array(dtype=wp.float64)
A2 = wp.array2d(dtype=wp.float64)
AV = wp.array(dtype=wp.vec3d)
INTS = {}


@wp.func
def add_to(a: A, i: int, x: wp.float64):
    a[i] += x  # ADJ103, ADJ203


@wp.func
def store_to(a: A, i: int, x: wp.float64):
    a[i] = x


@wp.func
def add_and_get(a: A, i: int, x: wp.float64):
    a[i] += x  # ADJ203
    return a[i]


@wp.func
def store_and_get(a: A, i: int, x: wp.float64):
    a[i] = x
    return a[i]


@wp.func
def swap_el(a: A, i: int, j: int):
    t = a[i]
    a[i] = a[j]  # ADJ103
    a[j] = t


@wp.func
def cube_bad(x: wp.float64):
    return x * x * x


@wp.func_grad(cube_bad)
def adj_cube_bad(x: wp.float64, adj_ret: wp.float64):
    wp.adjoint[x] = F(3.0) * x * x * adj_ret  # ADJ201


@wp.func
def scl(v: wp.vec3d, s: wp.float64):
    return v * s


@wp.func_grad(scl)
def adj_scl(v: wp.vec3d, s: wp.float64, adj_ret: wp.vec3d):
    wp.adjoint[v] += adj_ret * s
    wp.adjoint[s] += wp.dot(adj_ret, v)


@wp.func
def clampd(x: wp.float64):
    if x > F(1.0):
        return F(1.0)
    if x < F(-1.0):
        return F(-1.0)
    return x


@wp.func
def early(x: wp.float64, y: wp.float64):
    if y > F(0.0):
        return x * y
    return x


@wp.func
def param_rebind_if(x: wp.float64, y: wp.float64):
    if y > F(0.0):
        x = x * y
    return x * x


@wp.kernel
def f_add_to_then_read(x: A, o: A, b: A):
    i = wp.tid()
    add_to(b, i, x[i])
    o[i] = b[i] * b[i]


@wp.kernel
def f_add_to_then_read_lin(x: A, o: A, b: A):
    i = wp.tid()
    add_to(b, i, x[i])
    o[i] = b[i] * F(2.0)


@wp.kernel
def f_read_then_add(x: A, o: A, b: A):
    i = wp.tid()
    o[i] = b[i] * b[i]
    add_to(b, i, x[i])


@wp.kernel
def f_store_then_read(x: A, o: A, b: A):
    i = wp.tid()
    store_to(b, i, x[i])
    o[i] = b[i] * b[i]


@wp.kernel
def f_read_lin_then_store(x: A, o: A, b: A):
    i = wp.tid()
    o[i] = b[i] * F(3.0)
    store_to(b, i, x[i])


@wp.kernel
def f_add_get(x: A, o: A, b: A):
    i = wp.tid()
    t = add_and_get(b, i, x[i])
    o[i] = t * t


@wp.kernel
def f_add_get_lin(x: A, o: A, b: A):
    i = wp.tid()
    t = add_and_get(b, i, x[i])
    o[i] = t


@wp.kernel
def f_store_get(x: A, o: A, b: A):
    i = wp.tid()
    t = store_and_get(b, i, x[i])
    o[i] = t * t


@wp.kernel
def f_swap_then_mul(x: A2, o: A):
    i = wp.tid()
    r = x[i]
    swap_el(r, 0, 1)
    o[i] = r[0] * r[1]


@wp.kernel
def f_mul_then_swap(x: A2, o: A):
    i = wp.tid()
    r = x[i]
    o[i] = r[0] * r[2]
    swap_el(r, 0, 1)


@wp.kernel
def f_mul_then_swap_others(x: A2, o: A):
    i = wp.tid()
    r = x[i]
    o[i] = r[2] * r[3]
    swap_el(r, 0, 1)


@wp.kernel
def g_cube_bad_other(x: A, o: A):
    i = wp.tid()
    t = x[i]
    o[i] = cube_bad(t) + t


@wp.kernel
def g_cube_bad_before(x: A, o: A):
    i = wp.tid()
    t = x[i]
    u = t * t
    o[i] = cube_bad(t) + u


@wp.kernel
def g_scl_overwritten(v: AV, y: A, o: AV):
    i = wp.tid()
    o[i] = scl(v[i], y[i])
    y[i] = F(1.0)  # ADJ103


@wp.kernel
def f_clampd(x: A, o: A):
    i = wp.tid()
    o[i] = clampd(x[i]) * x[i]


@wp.kernel
def f_clampd_in_place(x: A):
    i = wp.tid()
    x[i] = clampd(x[i])  # ADJ102


@wp.kernel
def f_early(x: A, y: A, o: A):
    i = wp.tid()
    o[i] = early(x[i], y[i])


@wp.kernel
def f_early_over(x: A, y: A, o: A):
    i = wp.tid()
    o[i] = early(x[i], y[i])
    y[i] = F(-1.0)  # ADJ103


@wp.kernel
def f_param_rebind_if(x: A, y: A, o: A):
    i = wp.tid()
    t = x[i]
    o[i] = param_rebind_if(t, y[i]) + t
