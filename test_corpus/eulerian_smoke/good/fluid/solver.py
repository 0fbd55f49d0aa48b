from __future__ import annotations

import warp as wp

from . import operators as op


class SmokeSolver:
    """Velocity and smoke have a fresh array per step; the pressure's two buffers may alternate, as it is linear."""

    def __init__(self, shape, dt=0.4, iterations=6):
        self.shape, self.dt, self.iterations = shape, dt, iterations

    def scalar(self):
        return wp.zeros(self.shape, dtype=float, requires_grad=True)

    def vector(self):
        return wp.zeros(self.shape, dtype=wp.vec2, requires_grad=True)

    def run(self, kernel, inputs, output):
        wp.launch(kernel, dim=self.shape, inputs=inputs, outputs=[output])
        return output

    def pressure(self, u):
        div = self.run(op.divergence, [u], self.scalar())
        p, q = self.scalar(), self.scalar()
        for _ in range(self.iterations):
            self.run(op.jacobi, [p, div], q)
            p, q = q, p
        return p

    def step(self, u, smoke, buoyancy, rate):
        lifted = self.run(op.lift, [u, smoke, buoyancy, self.dt], self.vector())
        projected = self.run(op.project, [lifted, self.pressure(lifted)], self.vector())
        moved = self.run(op.advect, [projected, smoke, self.dt], self.scalar())
        thinner = self.run(op.dissolve, [rate, self.dt, moved], self.scalar())
        return projected, thinner
