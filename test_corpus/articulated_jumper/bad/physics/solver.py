from __future__ import annotations

from .model import Control, Model, State


class SolverBase:
    def __init__(self, model: Model):
        self.model = model

    def step(self, state_in: State, state_out: State, control: Control | None, dt: float) -> None:
        raise NotImplementedError()
