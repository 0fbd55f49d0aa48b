from __future__ import annotations

import numpy as np
import warp as wp


class Network:
    """A triangulated strip; the first two nodes are fixed."""

    fixed = 2

    def __init__(self, stiffness, load):
        self.x0 = np.array([[0.0, 0.0], [0.0, 0.6], [0.5, 0.1], [0.5, 0.7], [1.0, 0.0]])
        rods = np.array([[0, 2], [1, 2], [1, 3], [2, 3], [2, 4], [3, 4]])
        self.nodes, self.count = len(self.x0), len(rods)
        self.rods = wp.array(rods, dtype=wp.vec2i)
        self.stiffness = wp.array(stiffness, dtype=wp.float64, requires_grad=True)
        self.load = wp.array(load, dtype=wp.vec2d, requires_grad=True)
