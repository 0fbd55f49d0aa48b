"""Values of very different sizes beside each other; `python scales.py tiny|native|wrong|twice|fourfold`."""

import sys

import numpy as np
import warp as wp


@wp.kernel
def scatter(w: wp.array(dtype=float), q: wp.array(dtype=float), m: wp.array(dtype=float), v: wp.array(dtype=float)):
    i = wp.tid()
    wp.atomic_add(m, i, w[i])
    wp.atomic_add(v, i, w[i] * q[i])


@wp.kernel
def velocity(m: wp.array(dtype=float), v: wp.array(dtype=float), loss: wp.array(dtype=float)):
    i = wp.tid()
    if m[i] > 1.0e-10:
        wp.atomic_add(loss, 0, v[i] / m[i])


@wp.func_native("out[tid] = x[tid] * x[tid] * x[tid];", "adj_x[tid] += 3.0f * x[tid] * x[tid] * adj_out[tid];")
def cube(x: wp.array(dtype=float), out: wp.array(dtype=float), tid: int): ...


@wp.func_native("out[tid] = x[tid] * x[tid] * x[tid];", "adj_x[tid] += 2.0f * x[tid] * x[tid] * adj_out[tid];")
def cube_wrong(x: wp.array(dtype=float), out: wp.array(dtype=float), tid: int): ...


@wp.kernel
def cubes(x: wp.array(dtype=float), out: wp.array(dtype=float)):
    cube(x, out, wp.tid())


@wp.kernel
def cubes_wrong(x: wp.array(dtype=float), out: wp.array(dtype=float)):
    cube_wrong(x, out, wp.tid())


@wp.kernel
def total(x: wp.array(dtype=float), loss: wp.array(dtype=float)):
    wp.atomic_add(loss, 0, x[wp.tid()])


def array(values):
    return wp.array(values, dtype=float, requires_grad=True)


def zeros(n):
    return wp.zeros(n, dtype=float, requires_grad=True)


def tiny():
    w = wp.array([3e-9, 2e-9, 1e-3, 3e-3], dtype=float)
    q, m, v, loss = array([0.5, 0.6, 0.7, 0.8]), zeros(4), zeros(4), zeros(1)
    with wp.Tape() as tape:
        wp.launch(scatter, dim=4, inputs=[w, q], outputs=[m, v])
        wp.launch(velocity, dim=4, inputs=[m, v], outputs=[loss])
    tape.backward(loss)


def native(kernel):
    x, y, loss = array(np.linspace(0.5, 1.0, 4)), zeros(4), zeros(1)
    with wp.Tape() as tape:
        wp.launch(kernel, dim=4, inputs=[x], outputs=[y])
        wp.launch(total, dim=4, inputs=[y], outputs=[loss])
    tape.backward(loss)


@wp.kernel
def poles(x: wp.array(dtype=float), factor: float, loss: wp.array(dtype=float)):
    i = wp.tid()
    term = factor * x[i]
    if i == 1:
        term = 1.0 / x[i]
    wp.atomic_add(loss, 0, term)


def host():
    x, loss = array([1e3, 1e-3]), zeros(1)
    with wp.Tape() as tape:
        wp.launch(poles, dim=2, inputs=[x, float(x.numpy()[0]) * 1e-3], outputs=[loss])
    tape.backward(loss)


def twice(uses):
    x, y = array(np.linspace(0.5, 1.0, 4)), array(np.linspace(0.5, 1.0, 4))
    for _ in range(uses):
        loss = zeros(1)
        with wp.Tape() as tape:
            wp.launch(velocity, dim=4, inputs=[x, y], outputs=[loss])
        tape.backward(loss)
        print(x.grad.numpy(), y.grad.numpy())
        print(x.grad.numpy() * 0.5)


if __name__ == "__main__":
    wp.init()
    name = sys.argv[1]
    if name == "native":
        native(cubes)
    elif name == "wrong":
        native(cubes_wrong)
    elif name == "host":
        host()
    elif name == "twice":
        twice(2)
    elif name == "fourfold":
        twice(4)
    else:
        tiny()
