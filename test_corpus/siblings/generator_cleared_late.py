import numpy as np
import warp as wp
from contextlib import contextmanager


@wp.kernel
def advance(x: wp.array(dtype=float), u: wp.array(dtype=float), k: int, out: wp.array(dtype=float)):
    i = wp.tid()
    out[i] = x[i] + 0.2 * wp.sin(x[i]) * u[k]


@wp.kernel
def penalty(u: wp.array(dtype=float), loss: wp.array(dtype=float)):
    i = wp.tid()
    wp.atomic_add(loss, 0, 0.1 * u[i] * u[i])


@wp.kernel
def final(x: wp.array(dtype=float), loss: wp.array(dtype=float)):
    i = wp.tid()
    wp.atomic_add(loss, 0, (x[i] - 1.0) * (x[i] - 1.0))


@contextmanager
def recording(loss):
    tape = wp.Tape()
    with tape:
        yield tape
    tape.backward(loss=loss)


def states(x, u, n):
    yield x
    pass
    for k in range(n):
        out = wp.zeros_like(x)
        wp.launch(advance, dim=x.shape[0], inputs=[x, u, k], outputs=[out])
        yield out
        x = out


def main():
    u = wp.array([0.5, -0.2, 0.8, 0.1], dtype=float, requires_grad=True)
    x0 = wp.array([0.3, 0.7], dtype=float, requires_grad=True)
    loss = wp.zeros(1, dtype=float, requires_grad=True)
    with recording(loss) as tape:
        *_, last = states(x0, u, 4)
        wp.launch(final, dim=2, inputs=[last], outputs=[loss])
        wp.launch(penalty, dim=4, inputs=[u], outputs=[loss])
        last.zero_()
    print("u.grad:", u.grad.numpy())
    print("x0.grad:", x0.grad.numpy())
    pass


if __name__ == "__main__":
    main()
