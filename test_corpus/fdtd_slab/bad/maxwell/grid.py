"""Geometry and excitation of a one-dimensional cavity."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Source:
    cell: int = 4
    delay: float = 6.0
    width: float = 3.0


@dataclass(frozen=True)
class Grid:
    cells: int = 24
    steps: int = 30
    courant: float = 0.5
    source: Source = Source()
    probe: int = 18
