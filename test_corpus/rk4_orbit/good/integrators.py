"""Explicit integrators over a right-hand side `f(state, rate)` that launches kernels."""

from __future__ import annotations

from typing import Callable

import dynamics
import warp as wp

RightHandSide = Callable[[wp.array, wp.array], None]


class Integrator:
    def __init__(self, f: RightHandSide, h: float):
        self.f = f
        self.h = h

    def step(self, state: wp.array) -> wp.array:
        raise NotImplementedError

    def run(self, state: wp.array, steps: int) -> wp.array:
        for _ in range(steps):
            state = self.step(state)
        return state

    def rate(self, state: wp.array) -> wp.array:
        k = wp.zeros_like(state)
        self.f(state, k)
        return k


class Euler(Integrator):
    def step(self, state):
        result = wp.zeros_like(state)
        wp.launch(dynamics.offset, dim=state.shape, inputs=[state, self.rate(state), self.h], outputs=[result])
        return result


class Rk4(Integrator):
    """Classic Runge-Kutta; stages are in arrays of their own."""

    def stage(self, state, k, h):
        moved = wp.zeros_like(state)
        wp.launch(dynamics.offset, dim=state.shape, inputs=[state, k, h], outputs=[moved])
        return moved

    def step(self, state):
        h = self.h
        k1 = self.rate(state)
        k2 = self.rate(self.stage(state, k1, 0.5 * h))
        k3 = self.rate(self.stage(state, k2, 0.5 * h))
        k4 = self.rate(self.stage(state, k3, h))
        result = wp.zeros_like(state)
        wp.launch(dynamics.combine, dim=state.shape, inputs=[state, k1, k2, k3, k4, h], outputs=[result])
        return result
