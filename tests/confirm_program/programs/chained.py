"""Two tapes, one after the other, whose adjoints are handed on; in single precision, beside a large constant."""

import numpy as np
import warp as wp

wp.config.quiet = True


@wp.kernel
def square(a: wp.array(dtype=float), b: wp.array(dtype=float)):
    i = wp.tid()
    b[i] = a[i] * a[i]


@wp.kernel
def energy(a: wp.array(dtype=float), loss: wp.array(dtype=float)):
    wp.atomic_add(loss, 0, 1.0e8 + a[wp.tid()] * 1.0e-3)


def main():
    a = wp.array(np.array([1.0, 2.0], np.float32), requires_grad=True)
    b, loss = (wp.zeros(n, dtype=float, requires_grad=True) for n in (2, 1))
    first, second = wp.Tape(), wp.Tape()
    with first:
        wp.launch(square, dim=2, inputs=[a], outputs=[b])
    with second:
        wp.launch(energy, dim=2, inputs=[b], outputs=[loss])
    second.backward(loss)
    first.backward()
    print("grad", a.grad.numpy())


main()
