"""Gradients that leave Warp: through NumPy's protocol, and to a torch optimizer; `clear`: zeroed before each pass."""

import sys

import numpy as np
import warp as wp


@wp.kernel
def cube(x: wp.array(dtype=wp.float64), loss: wp.array(dtype=wp.float64)):
    i = wp.tid()
    wp.atomic_add(loss, 0, x[i] * x[i] * x[i])


def one_pass(x, clear):
    loss = wp.zeros(1, dtype=wp.float64, requires_grad=True)
    with wp.Tape() as tape:
        wp.launch(cube, dim=3, inputs=[x], outputs=[loss])
    if clear:
        x.grad.zero_()
    tape.backward(loss)


def by_protocol(clear):
    x = wp.array([0.5, 1.0, 1.5], dtype=wp.float64, requires_grad=True)
    for _ in range(3):
        one_pass(x, clear)
        print("gradient", np.asarray(x.grad).tolist())


def by_optimizer(clear):
    import torch

    x = wp.array([0.5, 1.0, 1.5], dtype=wp.float64, requires_grad=True)
    parameter = wp.to_torch(x)
    optimizer = torch.optim.SGD([parameter], lr=1e-3)
    for _ in range(3):
        one_pass(x, clear)
        optimizer.step()
    print("parameter", parameter.detach().tolist())


if __name__ == "__main__":
    {"protocol": by_protocol, "optimizer": by_optimizer}[sys.argv[1]](sys.argv[2] == "clear")
