"""Semi-implicit Euler."""

import warp as wp

from . import kernels
from .model import Cloth, State


class Solver:
    def __init__(self, cloth: Cloth, dt: float = 0.02, wind=(0.4, 1.0, 0.0)):
        self.cloth = cloth
        self.dt = dt
        self.wind = wp.array([wind], dtype=wp.vec3d)

    def forces(self, state: State) -> wp.array:
        cloth = self.cloth
        f = wp.zeros(cloth.particles, dtype=wp.vec3d, requires_grad=True)
        wp.launch(
            kernels.spring_forces,
            dim=cloth.springs,
            inputs=[state.x, state.v, cloth.edges, cloth.rest, cloth.stiffness, cloth.damping],
            outputs=[f],
        )
        wp.launch(kernels.wind_forces, dim=cloth.particles, inputs=[state.v, self.wind, 0.05], outputs=[f])
        return f

    def step(self, state: State, inv_mass: wp.array) -> State:
        new = State.like(state)
        wp.launch(
            kernels.integrate,
            dim=self.cloth.particles,
            inputs=[state.x, state.v, self.forces(state), inv_mass, self.cloth.gravity, self.dt],
            outputs=[new.x, new.v],
        )
        return new

    def rollout(self, steps: int) -> State:
        inv_mass = self.cloth.inverse_masses()
        state = self.cloth.state()
        for _ in range(steps):
            state = self.step(state, inv_mass)
        return state
