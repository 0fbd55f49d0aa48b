from .builder import ModelBuilder
from .model import Control, Model, State
from .solver_euler import SolverEuler

__all__ = ["Control", "Model", "ModelBuilder", "SolverEuler", "State"]
