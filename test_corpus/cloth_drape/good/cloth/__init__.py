"""A small differentiable cloth: a grid of particles, structural springs, wind."""

from .model import Cloth, hanging_cloth
from .solver import Solver

__all__ = ["Cloth", "Solver", "hanging_cloth"]
