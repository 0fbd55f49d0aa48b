"""How far does a column of grains run out, as a function of stiffness and damping?"""

from dataclasses import dataclass, field
from functools import partial

import grains
import numpy as np
import warp as wp

wp.config.quiet = True

zeros3 = partial(wp.zeros, dtype=wp.vec3, requires_grad=True)


@dataclass
class Column:
    stiffness: float
    damping: float
    steps: int = 6
    dt: float = 0.08
    diameter: float = 0.3
    k: wp.array = field(init=False)
    c: wp.array = field(init=False)

    def __post_init__(self):
        self.k = wp.array([self.stiffness], dtype=float, requires_grad=True)
        self.c = wp.array([self.damping], dtype=float, requires_grad=True)
        self.grid = wp.HashGrid(8, 8, 8)

    def positions(self):
        layers = [[0.12 * (k % 2), 0.12 * ((k // 2) % 2), 0.08 + 0.11 * (k // 4)] for k in range(10)]
        return np.array(layers, dtype=np.float32)

    def neighbours(self, x):
        self.grid.build(x, self.diameter)
        return self.grid

    def collapse(self, keep):
        x = wp.array(self.positions(), dtype=wp.vec3, requires_grad=True)
        n = x.shape[0]
        v = zeros3(n)
        self.scratch = zeros3(n), zeros3(n)
        for step in range(self.steps):
            grid = self.neighbours(x)
            keep.append(grid)
            x_new, v_new = self.scratch[step % 2], zeros3(n)
            force = zeros3(n)
            wp.launch(grains.contact_forces, dim=n, inputs=[grid.id, x, self.k, self.diameter], outputs=[force])
            wp.launch(grains.floor_force, dim=n, inputs=[x, self.k], outputs=[force])
            wp.launch(grains.move, dim=n, inputs=[x, v, force, self.c, self.dt], outputs=[x_new, v_new])
            x, v = x_new, v_new
        loss = wp.zeros(1, dtype=float, requires_grad=True)
        wp.launch(grains.runout, dim=n, inputs=[x], outputs=[loss])
        return loss


def run(stiffness, damping):
    return float(Column(stiffness, damping).collapse([]).numpy()[0])


def differentiate(column, report):
    """Gradients of the runout; the report gets them by name."""
    keep = []
    tape = wp.Tape()
    with tape:
        loss = column.collapse(keep)
    tape.backward(loss=loss)
    report(k=column.k.grad.numpy().copy(), c=column.c.grad.numpy().copy())


def main():
    stiffness, damping = 60.0, 0.8
    found = {}
    differentiate(Column(stiffness, damping), lambda **g: found.update(g))
    print("AD stiffness =", found["k"].tolist())
    print("FD stiffness =", [(run(stiffness + 0.2, damping) - run(stiffness - 0.2, damping)) / 0.4])
    print("AD damping =", found["c"].tolist())
    print("FD damping =", [(run(stiffness, damping + 0.01) - run(stiffness, damping - 0.01)) / 0.02])


if __name__ == "__main__":
    main()
