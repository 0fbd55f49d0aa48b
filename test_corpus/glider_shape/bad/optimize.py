"""Shape optimisation of a glider's wing."""

import numpy as np
import warp as wp
from glider.design import Design

wp.config.quiet = True


def loss_of(camber):
    design = Design(camber)
    design.forward()
    return design.loss.numpy()[0]


def main():
    design = Design([0.08, 0.05, 0.07, 0.02])
    for _ in range(3):
        camber, gradient = design.iterate(rate=0.002)
    h = 1e-6
    fd = [(loss_of(camber + h * e) - loss_of(camber - h * e)) / (2 * h) for e in np.eye(len(camber))]
    print("AD camber =", gradient.round(7).tolist())
    print("FD camber =", np.round(fd, 7).tolist())


if __name__ == "__main__":
    main()
