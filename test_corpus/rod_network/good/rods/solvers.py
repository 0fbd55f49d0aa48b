"""Relaxation of a rod network: a base class with hooks, and a damped explicit scheme."""

from __future__ import annotations

from abc import ABC, abstractmethod

import warp as wp

from .elements import LAWS


@wp.kernel
def damped_step(
    x: wp.array[wp.vec2d],
    v: wp.array[wp.vec2d],
    f: wp.array[wp.vec2d],
    load: wp.array[wp.vec2d],
    fixed: int,
    dt: wp.float64,
    x_out: wp.array[wp.vec2d],
    v_out: wp.array[wp.vec2d],
):
    i = wp.tid()
    u = wp.float64(0.9) * v[i] + dt * (f[i] + load[i])
    if i < fixed:
        u = wp.vec2d(wp.float64(0.0), wp.float64(0.0))
    v_out[i] = u
    x_out[i] = x[i] + dt * u


class Relaxation(ABC):
    """Keeps the present and the next configuration; `advance` fills the next one and makes it the present one."""

    def __init__(self, network, law: str = "stiffening", dt: float = 0.1):
        self.network = network
        self.law = law
        self.dt = dt
        self._states = [self.allocate()]
        self._present = 0

    def allocate(self):
        n = self.network.nodes
        return tuple(wp.zeros(n, dtype=wp.vec2d, requires_grad=True) for _ in range(2))

    @property
    def state(self):
        return self._states[self._present]

    @property
    def next_state(self):
        if self._present + 1 == len(self._states):
            self._states.append(self.allocate())
        return self._states[self._present + 1]

    def turn(self):
        self._present += 1

    def restart(self, x0):
        self._present = 0
        x, v = self.state
        x.assign(x0)
        v.zero_()

    @abstractmethod
    def forces(self) -> wp.array: ...

    def advance(self):
        x, v = self.state
        x_out, v_out = self.next_state
        net = self.network
        wp.launch(
            kernel=damped_step,
            dim=net.nodes,
            inputs=[x, v, self.forces(), net.load, net.fixed, self.dt],
            outputs=[x_out, v_out],
        )
        self.turn()

    def run(self, steps: int) -> wp.array:
        for _ in range(steps):
            self.advance()
        return self.state[0]


class Explicit(Relaxation):
    def forces(self):
        net = self.network
        x, _ = self.state
        f = wp.zeros(net.nodes, dtype=wp.vec2d, requires_grad=True)
        wp.launch(kernel=LAWS[self.law], dim=net.count, inputs=[x, net.rods, net.stiffness], outputs=[f])
        return f
