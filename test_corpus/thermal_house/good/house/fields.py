"""Allocation in one place."""

from __future__ import annotations

import warp as wp

REAL = wp.float64


def make(shape, dtype=REAL, grad: bool = False, like: wp.array | None = None) -> wp.array:
    """A zeroed array; `like` overrides shape and type."""
    if like is not None:
        shape, dtype = like.shape, like.dtype
    return wp.zeros(shape=shape, dtype=dtype, requires_grad=grad)


def parameter(values) -> wp.array:
    return wp.array(values, dtype=REAL, requires_grad=True)


class Fields(dict):
    """Named arrays, also as attributes."""

    def __getattr__(self, name: str) -> wp.array:
        try:
            return self[name]
        except KeyError:
            raise AttributeError(name) from None
