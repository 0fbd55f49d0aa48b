"""Insulation, heaters and thermostat of a house; gradient of the second day's bill."""

import numpy as np
import warp as wp
from house import House, Study

wp.config.quiet = True

START = {
    "conductance": np.array([0.5, 0.4, 0.6, 0.3, 0.2]),
    "power": np.array([2.0, 1.5, 1.0, 1.8]),
    "setpoint": 0.9,
}


def bill_of(values):
    return House(values["conductance"], values["power"], float(np.ravel(values["setpoint"])[0])).day().numpy()[0]


def main():
    study = Study(House(**START))
    messages = []
    study.after_gradient.append(lambda s: messages.append(f"{len(s.gradients)} gradients"))
    study.run(days=2)

    h = 1e-6
    for name, at in study.at.items():
        fd = np.zeros(at.shape)
        for k in np.ndindex(at.shape):
            for sign in (1.0, -1.0):
                moved = {n: v.copy() for n, v in study.at.items()}
                moved[name][k] += sign * h
                fd[k] += sign * bill_of(moved) / (2.0 * h)
        print(f"AD {name} =", study.gradients[name].round(7).tolist())
        print(f"FD {name} =", fd.round(7).tolist())


if __name__ == "__main__":
    main()
