"""Rollouts as generators of states."""

from __future__ import annotations

from collections.abc import Iterator

import warp as wp

from . import kernels
from .precision import real, vec
from .state import State


class Swarm:
    def __init__(self, rest, strength, damping):
        self.theta = {
            "rest": wp.array([rest], dtype=real, requires_grad=True),
            "strength": wp.array([strength], dtype=real, requires_grad=True),
            "damping": wp.array([damping], dtype=real, requires_grad=True),
        }
        self.h = 0.1

    def push(self, x: wp.array) -> wp.array:
        out = wp.zeros(len(x), dtype=vec, requires_grad=True)
        wp.launch(
            kernels.pairwise,
            dim=(len(x), len(x)),
            inputs=[x, self.theta["rest"], self.theta["strength"]],
            outputs=[out],
        )
        return out

    def states(self, start: State, steps: int, cost: wp.array) -> Iterator[State]:
        """The states after each step; the cost of the pushes is added on the way."""
        state = start
        for _ in range(steps):
            force = self.push(state.x)
            wp.launch(kernels.effort, dim=len(state.x), inputs=[force, 0.01], outputs=[cost])
            following = state.blank()
            wp.launch(
                kernels.respond,
                dim=len(state.x),
                inputs=[*state, force, self.theta["damping"], self.h],
                outputs=[*following],
            )
            state = following
            yield state

    def cost(self, start: State, slots: wp.array, steps: int = 5) -> wp.array:
        cost = wp.zeros(1, dtype=real, requires_grad=True)
        for k, state in enumerate(self.states(start, steps, cost)):
            wp.launch(kernels.deviation, dim=len(slots), inputs=[state.x, slots, 0.1 * (k + 1)], outputs=[cost])
        return cost
