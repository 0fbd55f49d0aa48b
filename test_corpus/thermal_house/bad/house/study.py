"""A study: days, each with a forward pass under a tape, observers, and an update of the parameters."""

from __future__ import annotations

from typing import Callable

import warp as wp

from .heating import House


class Study:
    def __init__(self, house: House, rate: float = 0.01):
        self.house = house
        self.rate = rate
        self.after_gradient: list[Callable[["Study"], None]] = []
        self.gradients = {}
        self.at = {}

    def _record(self, tape: wp.Tape) -> wp.array:
        for name, array in self.house.parameters.items():
            self.at[name] = array.numpy().copy()
        with tape:
            return self.house.day()

    def _differentiate(self, tape: wp.Tape, bill: wp.array) -> None:
        tape.backward(bill)
        for name, array in self.house.parameters.items():
            self.gradients[name] = array.grad.numpy().copy()

    def update(self) -> None:
        for name, array in self.house.parameters.items():
            array.assign(array.numpy() - self.rate * self.gradients.get(name, 1.0))

    def run(self, days: int) -> None:
        for _ in range(days):
            tape = wp.Tape()
            bill = self._record(tape)
            self.update()
            self._differentiate(tape, bill)
            for observer in self.after_gradient:
                observer(self)
            tape.zero()
