"""A small term in a large loss: single precision can't see its derivative. `wrong` overwrites what the gradient
needs, `loop` has a kernel with a wrong adjoint, `severed` an array without a gradient. `half` sums up more ones than
half precision can count; in `lost` so does the gradient."""

import sys

import numpy as np
import warp as wp

wp.config.quiet = True


@wp.struct
class Scales:
    large: float
    offset: wp.vec3


@wp.func
def bend(x: wp.vec3, s: Scales):
    return wp.dot(x + s.offset, x) * 1.0e-3


@wp.kernel
def energy(x: wp.array(dtype=wp.vec3), k: wp.array(dtype=float), s: Scales, e: wp.array(dtype=float)):
    i = wp.tid()
    e[i] = k[0] * bend(x[i], s) + s.large * float(i + 1)


@wp.kernel
def power(x: wp.array(dtype=wp.vec3), k: wp.array(dtype=float), s: Scales, e: wp.array(dtype=float)):
    i = wp.tid()
    p = wp.float32(1.0e-3)
    for _ in range(x.shape[0]):
        p = p * k[0]
    e[i] = p + s.large + x[i][0]


@wp.kernel
def total(e: wp.array(dtype=float), loss: wp.array(dtype=float)):
    wp.atomic_add(loss, 0, e[wp.tid()])


@wp.kernel
def count(x: wp.array(dtype=wp.float16), total: wp.array(dtype=wp.float16)):
    i = wp.tid()
    wp.atomic_add(total, 0, x[i % x.shape[0]])


def halves(n):
    x = wp.array(np.ones(n, np.float16), requires_grad=True)
    total = wp.zeros(1, dtype=wp.float16, requires_grad=True)
    with wp.Tape() as tape:
        wp.launch(count, dim=4096, inputs=[x, total])
    tape.backward(total)
    print("x", x.grad.numpy()[0], x.dtype)


def main():
    if sys.argv[1] in ("half", "lost"):
        return halves(4096 if sys.argv[1] == "half" else 1)
    x = wp.array(np.linspace(0.1, 1.2, 12, dtype=np.float32).reshape(4, 3), dtype=wp.vec3, requires_grad=True)
    k = wp.array(np.array([0.3], np.float32), requires_grad=True)
    s = Scales()
    s.large, s.offset = 1.0e6, wp.vec3(0.1, 0.2, 0.3)
    e, loss = wp.zeros(4, dtype=float, requires_grad=True), wp.zeros(1, dtype=float, requires_grad=True)
    if sys.argv[1] == "severed":
        e = wp.zeros(4, dtype=float)
    tape = wp.Tape()
    with tape:
        wp.launch(power if sys.argv[1] == "loop" else energy, dim=4, inputs=[x, k, s], outputs=[e])
        wp.launch(total, dim=4, inputs=[e], outputs=[loss])
    if sys.argv[1] == "wrong":
        x.zero_()
    tape.backward(loss)
    print("k", k.grad.numpy(), k.dtype)


main()
