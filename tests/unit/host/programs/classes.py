# ruff: noqa
"""Inheritance, super, properties, dataclasses, class and static methods, operators."""

from __future__ import annotations

import enum
from abc import ABC, abstractmethod
from collections import namedtuple
from dataclasses import dataclass, field

import _kernels as k
import warp as wp


def make(n=4):
    return wp.zeros(n, dtype=float, requires_grad=True)


@dataclass
class State:
    q: wp.array
    v: wp.array = None
    extra: list = field(default_factory=list)

    def __post_init__(self):
        if self.v is None:
            self.v = make()

    def copy(self) -> State:
        return State(wp.clone(self.q), wp.clone(self.v))


class Order(enum.Enum):
    FIRST = 1
    SECOND = 2


Pair = namedtuple("Pair", ["left", "right"])


class Base(ABC):
    count = 0

    def __init__(self, steps, order=Order.FIRST):
        self.steps = steps
        self.order = order
        self.states = [self.make_state() for _ in range(steps + 1)]
        self._index = 0
        type(self).count += 1

    @property
    def state(self):
        return self.states[self._index]

    @property
    def next_state(self):
        return self.states[self._index + 1]

    @state.setter
    def state(self, value):
        self.states[self._index] = value

    @staticmethod
    def make_state():
        return State(make())

    @classmethod
    def build(cls, *args, **kwargs):
        return cls(*args, **kwargs)

    @abstractmethod
    def step(self): ...

    def run(self):
        for _ in range(self.steps):
            self.step()
            self._index += 1
        return self.states[-1]


class Euler(Base):
    def __init__(self, steps, scale=2.0, **kwargs):
        super().__init__(steps, **kwargs)
        self.scale = scale
        self.scratch = {"f": make(), Order.SECOND: make()}

    def step(self):
        if self.order is Order.SECOND:
            wp.launch(k.square, 4, [self.state.q], [self.scratch[self.order]])
        wp.launch(k.square, dim=4, inputs=[self.state.q], outputs=[self.scratch["f"]])
        wp.launch(k.add, dim=4, inputs=[self.state.q, self.scratch["f"]], outputs=[self.next_state.q])


class Verlet(Euler):
    def step(self):
        wp.launch(k.add, dim=4, inputs=[self.state.v, self.state.q], outputs=[self.next_state.v])
        super().step()

    def __len__(self):
        return self.steps

    def __getitem__(self, i):
        return self.states[i]

    def __call__(self, loss):
        wp.launch(k.total, dim=4, inputs=[self[-1].q], outputs=[loss])
        return loss


def main():
    loss = wp.zeros(1, dtype=float, requires_grad=True)
    with wp.Tape() as tape:
        sim = Verlet.build(3, order=Order.SECOND)
        last = sim.run()
        pair = Pair(last, sim[0].copy())
        wp.launch(k.add, dim=4, inputs=[pair.left.q, pair.right.v, pair[1].q])
        if len(sim) == 3 and Base.count == 0 and Verlet.count == 1:
            sim(loss)
    tape.backward(loss)
    print(sim[0].q.grad.numpy())


if __name__ == "__main__":
    main()
