"""Compliance of each segment and drag, by the error of the rope's tip."""

import numpy as np
import warp as wp
from rope import XpbdSolver

wp.config.quiet = True


def tip(compliance, drag):
    return XpbdSolver(compliance, drag).swing().numpy()[0]


def main():
    compliance = np.array([1e-3, 4e-3, 2e-3, 6e-3])
    drag = 0.8
    solver = XpbdSolver(compliance, drag)
    tape = wp.Tape()
    with tape:
        loss = solver.swing()
    tape.backward(loss)

    h = 1e-7
    fd = [(tip(compliance + h * e, drag) - tip(compliance - h * e, drag)) / (2 * h) for e in np.eye(4)]
    print("AD compliance =", solver.compliance.grad.numpy().round(5).tolist())
    print("FD compliance =", np.round(fd, 5).tolist())
    h = 1e-6
    print("AD drag =", solver.drag.grad.numpy().round(7).tolist())
    print("FD drag =", [round(float(tip(compliance, drag + h) - tip(compliance, drag - h)) / (2 * h), 7)])


if __name__ == "__main__":
    main()
