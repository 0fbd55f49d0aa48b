"""The gradient of the objective against finite differences; runs under unittest or alone."""

import sys
import unittest
from pathlib import Path

import numpy as np
import warp as wp

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from rods.objective import Objective  # noqa: E402

wp.config.quiet = True


class GradientTest(unittest.TestCase):
    def setUp(self):
        self.stiffness = np.linspace(2.0, 4.0, 6)
        self.load = np.tile([0.1, -0.4], (5, 1))

    def value(self, stiffness, load):
        return Objective(stiffness, load)().numpy()[0]

    def test_stiffness_and_load(self):
        objective = Objective(self.stiffness, self.load)
        objective.gradient()
        _, by_stiffness, by_load = objective.gradient()

        h = 1e-6
        fd = []
        for e in h * np.eye(6):
            fd.append(self.value(self.stiffness + e, self.load) - self.value(self.stiffness - e, self.load))
        print("AD stiffness =", by_stiffness.round(8).tolist())
        print("FD stiffness =", (np.array(fd) / (2 * h)).round(8).tolist())
        fd = []
        for e in h * np.eye(10).reshape(10, 5, 2):
            fd.append(self.value(self.stiffness, self.load + e) - self.value(self.stiffness, self.load - e))
        print("AD load =", by_load.flatten().round(8).tolist())
        print("FD load =", (np.array(fd) / (2 * h)).round(8).tolist())


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0]], exit=False)
