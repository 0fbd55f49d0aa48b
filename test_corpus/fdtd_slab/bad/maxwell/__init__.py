from .grid import Grid, Source
from .solver import Fdtd

__all__ = ["Fdtd", "Grid", "Source"]
