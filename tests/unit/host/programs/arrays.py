# ruff: noqa
"""Views, clones, copies, structs, ptr, gradients by hand, recorded commands."""

import _kernels as k
import numpy as np
import warp as wp


@wp.struct
class Particles:
    q: wp.array(dtype=float)
    f: wp.array(dtype=float)
    mass: float


@wp.kernel
def force(p: Particles, c: wp.array(dtype=float)):
    i = wp.tid()
    p.f[i] = p.q[i] * c[i] * p.mass


def main():
    x = wp.array([1.0, 2.0, 3.0, 4.0], dtype=float, requires_grad=True)
    c = wp.ones_like(x)
    xs = wp.zeros((3, 4), dtype=float, requires_grad=True)
    flat = xs.flatten()
    p = Particles()
    p.q = x
    p.f = wp.zeros_like(x)
    p.mass = 2.0
    loss = wp.zeros(1, dtype=float, requires_grad=True)
    with wp.Tape() as tape:
        wp.copy(xs[0], x)
        for t in range(2):
            wp.launch(k.square, dim=4, inputs=[xs[t]], outputs=[xs[t + 1]])
        wp.launch(force, dim=4, inputs=[p, c])
        p.mass = 3.0
        half = x[:2]
        wp.launch(k.square, dim=2, inputs=[half], outputs=[p.f[2:]])
        y = wp.clone(p.f)
        z = y.reshape((2, 2))
        wp.launch(k.add, dim=4, inputs=[z.flatten(), flat[4:8]], outputs=[y])
        wp.copy(y, x, dest_offset=1, src_offset=0, count=2)
        wp.launch(k.total, dim=4, inputs=[y], outputs=[loss])
    tape.backward(loss)
    wp.launch(k.descend, dim=4, inputs=[x, x.grad, 0.1])
    x.grad.zero_()
    seed = wp.full(1, 1.0, dtype=float)
    loss.grad = seed
    tape.backward()
    g = tape.gradients[x]
    wp.launch(k.descend, dim=4, inputs=[x, g, 0.1])
    q = wp.array(ptr=x.ptr, shape=4, dtype=float)
    wp.launch(k.square, dim=4, inputs=[q], outputs=[c])
    print(np.sum(x.grad.numpy()))


if __name__ == "__main__":
    main()
