"""Keyframe control of smoke: buoyancy, decay, and the first puff. Single precision."""

import numpy as np
import warp as wp
from fluid.operators import match
from fluid.solver import SmokeSolver

wp.config.quiet = True

SHAPE = (6, 8)


def puff():
    i, j = np.meshgrid(*(np.arange(n) for n in SHAPE), indexing="ij")
    return np.exp(-((i - 2.4) ** 2 + (j - 2.0) ** 2) / 3.0).astype(np.float32)


def simulate(buoyancy, rate, first, steps=4):
    solver = SmokeSolver(SHAPE)
    keyframe = wp.array(np.roll(puff(), 3, axis=1), dtype=float)
    u, smoke = solver.vector(), first
    for _ in range(steps):
        u, smoke = solver.step(u, smoke, buoyancy, rate)
    loss = wp.zeros(1, dtype=float, requires_grad=True)
    wp.launch(match, dim=SHAPE, inputs=[smoke, keyframe], outputs=[loss])
    return loss


def value(buoyancy, rate, first):
    return float(simulate(wp.array([buoyancy], dtype=float), wp.array([rate], dtype=float), wp.array(first)).numpy()[0])


def main():
    buoyancy, rate = 0.7, 0.2
    b, r = (wp.array([v], dtype=float, requires_grad=True) for v in (buoyancy, rate))
    first = wp.array(puff(), dtype=float, requires_grad=True)
    with wp.Tape() as tape:
        loss = simulate(b, r, first)
    tape.backward(loss)

    h = 2e-3
    print("AD buoyancy =", b.grad.numpy().tolist())
    print("FD buoyancy =", [(value(buoyancy + h, rate, puff()) - value(buoyancy - h, rate, puff())) / (2 * h)])
    print("AD rate =", r.grad.numpy().tolist())
    print("FD rate =", [(value(buoyancy, rate + h, puff()) - value(buoyancy, rate - h, puff())) / (2 * h)])


if __name__ == "__main__":
    main()
