"""Implicit differentiation: x solves x = cos(k x), its adjoint is a function recorded on the tape."""

import sys

import numpy as np
import warp as wp

wp.config.quiet = True


@wp.kernel
def residual(k: wp.array(dtype=wp.float64), x: wp.array(dtype=wp.float64), r: wp.array(dtype=wp.float64)):
    i = wp.tid()
    r[i] = wp.cos(k[i] * x[i]) - x[i]


@wp.kernel
def iterate(k: wp.array(dtype=wp.float64), x: wp.array(dtype=wp.float64)):
    i = wp.tid()
    for _ in range(200):
        x[i] = wp.cos(k[i] * x[i])


@wp.kernel
def solve_adjoint(
    k: wp.array(dtype=wp.float64),
    x: wp.array(dtype=wp.float64),
    adj_x: wp.array(dtype=wp.float64),
    adj_r: wp.array(dtype=wp.float64),
):
    i = wp.tid()
    adj_r[i] = adj_x[i] / (wp.float64(1.0) + k[i] * wp.sin(k[i] * x[i]))


@wp.kernel
def square(x: wp.array(dtype=wp.float64), loss: wp.array(dtype=wp.float64)):
    i = wp.tid()
    wp.atomic_add(loss, 0, x[i] * x[i])


def main():
    k = wp.array(np.array([0.5, 0.9]), dtype=wp.float64, requires_grad=True)
    x, r = (wp.zeros(2, dtype=wp.float64, requires_grad=True) for _ in range(2))
    loss = wp.zeros(1, dtype=wp.float64, requires_grad=True)
    wp.launch(iterate, dim=2, inputs=[k, x], record_tape=False)  # a guess for the residual's adjoint
    tape = wp.Tape()
    with tape:
        wp.launch(residual, dim=2, inputs=[k, x], outputs=[r])
    x.zero_()
    wp.launch(iterate, dim=2, inputs=[k, x])

    def adjoint():
        wp.launch(solve_adjoint, dim=2, inputs=[k, x, x.grad], outputs=[r.grad])
        if sys.argv[1] == "wrong":
            r.grad.fill_(9.0)
        x.grad.zero_()

    tape.record_func(adjoint, arrays=[r, x])
    with tape:
        wp.launch(square, dim=2, inputs=[x], outputs=[loss])
    tape.backward(loss)
    print("grad", k.grad.numpy())


main()
