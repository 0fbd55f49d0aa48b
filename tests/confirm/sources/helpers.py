# ruff: noqa
"""Imported by `shapes.py`; not a name of its own is used twice here and there by accident: `stretch` is."""

import warp as wp

DT = 0.125


@wp.func
def stretch(x: float):
    return x * DT


@wp.func
def damp(x: float):
    return stretch(x) * wp.exp(-x)


raise SystemExit("never import this either")
