import math

import warp as wp

from . import kernels
from .grid import Grid


class Fdtd:
    """Leapfrog on a staggered grid; the whole history is kept, one row per step."""

    def __init__(self, grid: Grid):
        self.grid = grid
        self.ca = self.field(grid.cells)
        self.cb = self.field(grid.cells)

    @staticmethod
    def field(*shape):
        return wp.zeros(shape, dtype=wp.float64, requires_grad=True)

    def pulse(self, t: int) -> float:
        s = self.grid.source
        return math.exp(-(((t - s.delay) / s.width) ** 2))

    def prepare(self, eps, sigma):
        wp.launch(
            kernels.update_coefficient,
            dim=self.grid.cells,
            inputs=[eps, sigma, self.grid.courant],
            outputs=[self.ca, self.cb],
        )

    def run(self, amplitude):
        g = self.grid
        e = self.field(g.steps + 1, g.cells)
        h = self.field(g.steps + 1, g.cells - 1)
        for t in range(g.steps):
            wp.launch(kernels.step_h, dim=g.cells - 1, inputs=[e, h, g.courant, t])
            wp.launch(kernels.step_e, dim=g.cells, inputs=[h, e, self.ca, self.cb, t])
            wp.launch(kernels.inject, dim=1, inputs=[e, amplitude, g.source.cell, self.pulse(t), t])
        trace = self.field(g.steps)
        wp.launch(kernels.record, dim=g.steps, inputs=[e, g.probe], outputs=[trace])
        return trace
