"""What a cloth is made of."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
import warp as wp

from . import kernels


@dataclass
class State:
    """Positions and velocities of all particles, in metres and metres per second."""

    x: wp.array
    v: wp.array

    @classmethod
    def like(cls, other: "State") -> "State":
        return cls(wp.zeros_like(other.x), wp.zeros_like(other.v))


@dataclass
class Cloth:
    x0: np.ndarray
    mass: wp.array
    edges: wp.array
    rest: wp.array
    stiffness: wp.array
    gravity: wp.vec3d = field(default_factory=lambda: wp.vec3d(0.0, 0.0, -9.81))
    damping: float = 0.3

    @property
    def particles(self) -> int:
        return len(self.x0)

    @property
    def springs(self) -> int:
        return self.edges.shape[0]

    def state(self) -> State:
        x = wp.array(self.x0, dtype=wp.vec3d, requires_grad=True)
        return State(x, wp.zeros_like(x))

    def inverse_masses(self) -> wp.array:
        inv_mass = wp.zeros(self.particles, dtype=wp.float64)
        wp.launch(kernels.invert_masses, dim=self.particles, inputs=[self.mass], outputs=[inv_mass])
        return inv_mass


def hanging_cloth(stiffness: np.ndarray, mass: np.ndarray, side: int = 3) -> Cloth:
    """A square cloth held at its two upper corners (mass 0)."""
    grid = [(i, j) for j in range(side) for i in range(side)]
    x0 = np.array([[0.3 * i, 0.05 * (i % 2), -0.3 * j] for i, j in grid])
    edges = [(k, k + 1) for k, (i, _) in enumerate(grid) if i + 1 < side]
    edges += [(k, k + side) for k, (_, j) in enumerate(grid) if j + 1 < side]
    rest = [0.95 * np.linalg.norm(x0[a] - x0[b]) for a, b in edges]
    masses = np.array(mass, dtype=float)
    masses[[0, side - 1]] = 0.0
    return Cloth(
        x0=x0,
        mass=wp.array(masses, dtype=wp.float64, requires_grad=True),
        edges=wp.array(np.array(edges), dtype=int),
        rest=wp.array(rest, dtype=wp.float64),
        stiffness=wp.array(stiffness, dtype=wp.float64, requires_grad=True),
    )
