from __future__ import annotations

import warp as wp

from .precision import vec


class State:
    __slots__ = ("x", "v")

    def __init__(self, n: int, x=None, v=None):
        self.x = wp.array(x, dtype=vec, requires_grad=True) if x is not None else wp.zeros(n, dtype=vec, requires_grad=True)
        self.v = wp.array(v, dtype=vec, requires_grad=True) if v is not None else wp.zeros(n, dtype=vec, requires_grad=True)

    def __iter__(self):
        return iter((self.x, self.v))

    def blank(self) -> State:
        return State(len(self.x))
