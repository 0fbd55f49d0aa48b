"""Recorded torques and joint angles (made up here)."""

from dataclasses import dataclass

import numpy as np


@dataclass
class Experiment:
    torque: np.ndarray  # (steps, trials, 2), newton metres
    angles: np.ndarray  # (steps, trials, 2), radians
    dt: float = 0.05

    @property
    def steps(self) -> int:
        return self.torque.shape[0]

    @property
    def trials(self) -> int:
        return self.torque.shape[1]


def record(steps: int = 8, trials: int = 3) -> Experiment:
    t = np.arange(steps)[:, None]
    k = np.arange(trials)[None, :]
    torque = np.stack([np.sin(0.5 * t + k), 0.5 * np.cos(0.3 * t - k)], axis=-1)
    angles = np.stack([0.1 * k + 0.01 * t * t, 0.4 - 0.02 * t * (k + 1)], axis=-1)
    return Experiment(torque, angles)
