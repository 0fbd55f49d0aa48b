"""Sensitivities of a small microphone array."""

import numpy as np
import warp as wp
from beamformer import Chain

wp.config.quiet = True


def recording():
    t = np.arange(10)
    return np.stack([0.5 * np.sin(0.7 * t + 0.4 * k) for k in range(3)])


def main():
    p = np.array([0.9, 1.1, 1.3, 0.25])
    sensitivities = Chain(recording(), p[:3], p[3]).sensitivities()

    def energies(q):
        return Chain(recording(), q[:3], q[3]).energies().numpy()

    h = 1e-6
    fd = np.stack([(energies(p + h * e) - energies(p - h * e)) / (2 * h) for e in np.eye(4)], axis=-1)
    for d, name in enumerate(("front", "left", "right")):
        print(f"AD {name} =", sensitivities[d].round(8).tolist())
        print(f"FD {name} =", fd[d].round(8).tolist())


if __name__ == "__main__":
    main()
