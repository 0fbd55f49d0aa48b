"""States in a list, one per step."""

from typing import NamedTuple

import numpy as np
import warp as wp

from . import kernels as k


class Particles(NamedTuple):
    x: wp.array
    v: wp.array
    C: wp.array
    F: wp.array

    @staticmethod
    def empty(n: int) -> "Particles":
        def make(dtype):
            return wp.zeros(n, dtype=dtype, requires_grad=True)

        return Particles(make(wp.vec2d), make(wp.vec2d), make(wp.mat22d), make(wp.mat22d))


class Simulation:
    def __init__(self, young: float, friction: float, cells: int = 10, steps: int = 6, dt: float = 0.05):
        self.cells, self.steps, self.dt = cells, steps, dt
        self.young = wp.array([young], dtype=wp.float64, requires_grad=True)
        self.friction = wp.array([friction], dtype=wp.float64, requires_grad=True)
        self.start_x = np.array([[3.2 + 0.5 * i, 3.1 + 0.5 * j] for i in range(3) for j in range(3)])
        self.n = len(self.start_x)
        self.states = [Particles.empty(self.n) for _ in range(steps + 1)]

    def throw(self, velocity) -> None:
        start = self.states[0]
        start.x.assign(self.start_x)
        start.v.assign(np.tile(velocity, (self.n, 1)))
        start.C.zero_()
        start.F.assign(np.tile([[1.1, 0.05], [0.0, 0.95]], (self.n, 1, 1)))

    def step(self, now: Particles, then: Particles) -> None:
        shape = (self.cells, self.cells)
        mass = wp.zeros(shape, dtype=wp.float64, requires_grad=True)
        momentum = wp.zeros(shape, dtype=wp.vec2d, requires_grad=True)
        velocity = wp.zeros(shape, dtype=wp.vec2d, requires_grad=True)
        P = wp.zeros_like(now.F)
        wp.launch(k.stress, dim=self.n, inputs=[now.F, self.young], outputs=[P])
        wp.launch(
            k.to_grid,
            dim=self.n,
            inputs=[now.x, now.v, now.C, now.F, P, self.dt],
            outputs=[mass, momentum],
        )
        wp.launch(
            k.grid_velocity,
            dim=shape,
            inputs=[mass, momentum, 1.5, self.friction, self.dt],
            outputs=[velocity],
        )
        wp.launch(k.to_particles, dim=self.n, inputs=[now.x, now.F, velocity, self.dt], outputs=list(then))

    def loss(self, goal) -> wp.array:
        for t in range(self.steps):
            self.step(self.states[t], self.states[t + 1])
        loss = wp.zeros(1, dtype=wp.float64, requires_grad=True)
        wp.launch(k.miss, dim=self.n, inputs=[self.states[-1].x, goal], outputs=[loss])
        return loss
