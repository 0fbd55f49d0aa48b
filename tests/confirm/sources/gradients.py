# ruff: noqa
"""Funcs with gradients of their own."""

import warp as wp


@wp.func
def square(x: float):
    return x * x


@wp.func_grad(square)
def adj_square(x: float, adj_ret: float):
    wp.adjoint[x] += 2.0 * x * adj_ret


@wp.func
def cube(x: float):
    return x * x * x


@wp.func_grad(cube)
def adj_cube(x: float, adj_ret: float):  # wrong
    wp.adjoint[x] += 2.0 * x * x * adj_ret


@wp.func
def product(a: wp.vec3, b: wp.vec3):
    return wp.dot(a, b)


@wp.func_grad(product)
def adj_product(a: wp.vec3, b: wp.vec3, adj_ret: float):  # wrong
    wp.adjoint[a] += b * adj_ret
    wp.adjoint[b] -= a * adj_ret


@wp.func
def step(x: float):
    return wp.round(x)


@wp.func_grad(step)
def adj_step(x: float, adj_ret: float):
    wp.adjoint[x] += adj_ret


@wp.func
def hard(x: float):
    if x > 0.5:
        return 1.0
    return 0.0


@wp.func_grad(hard)
def adj_hard(x: float, adj_ret: float):
    wp.adjoint[x] += adj_ret / (1.0 + x * x)


@wp.func
def clip(x: float):
    return x


@wp.func_grad(clip)
def adj_clip(x: float, adj_ret: float):
    wp.adjoint[x] += wp.clamp(adj_ret, -0.1, 0.1)


@wp.func
def safe_root(x: float):
    return wp.sqrt(x)


@wp.func_grad(safe_root)
def adj_safe_root(x: float, adj_ret: float):
    if x > 0.0:
        wp.adjoint[x] += 0.5 / wp.sqrt(x) * adj_ret


@wp.func
def square_at(x: wp.array(dtype=float), i: int):
    return x[i] * x[i]


@wp.func_grad(square_at)
def adj_square_at(x: wp.array(dtype=float), i: int, adj_ret: float):
    wp.adjoint[x][i] += 2.0 * x[i] * adj_ret


@wp.func
def twice_at(x: wp.array(dtype=float), i: int):
    return x[i] * x[i] * 2.0


@wp.func_grad(twice_at)
def adj_twice_at(x: wp.array(dtype=float), i: int, adj_ret: float):  # wrong
    wp.adjoint[x][i] += 2.0 * x[i] * adj_ret


@wp.func
def pair(x: float, y: float):
    return x * y, x + y


@wp.func_grad(pair)
def adj_pair(x: float, y: float, adj_a: float, adj_b: float):
    wp.adjoint[x] += y * adj_a + adj_b
    wp.adjoint[y] += x * adj_a + adj_b


@wp.kernel
def use(x: wp.array(dtype=float), out: wp.array(dtype=float)):
    i = wp.tid()
    out[i] = square(x[i]) + cube(x[i])


@wp.kernel
def quantised(x: wp.array(dtype=float), out: wp.array(dtype=float)):
    i = wp.tid()
    out[i] = step(4.0 * x[i]) * x[i]
