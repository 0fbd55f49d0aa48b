"""Run two windows of a cart-pole controller; check the second one's gradients."""

import numpy as np
import warp as wp
from mpc import HORIZON, Controller

wp.config.quiet = True

START = np.array([0.1, 0.3, 0.0, -0.2])
PLAN = np.array([2.0, 1.0, 0.0, -1.0, 0.5])
GAIN = np.array([-0.5, -8.0, -0.8, -1.5])


def main():
    controller = Controller(START, PLAN, GAIN)
    controller.improve(rate=0.5)
    controller.shift()
    start, plan = controller.state.numpy()[0].copy(), controller.plan.numpy().copy()
    by_plan, by_gain = controller.improve(rate=0.5)

    def cost(p, g):
        return Controller(start, p, g).predict().numpy()[0]

    h = 1e-6
    fd = [(cost(plan + h * e, GAIN) - cost(plan - h * e, GAIN)) / (2 * h) for e in np.eye(HORIZON)]
    print("AD plan =", by_plan.round(8).tolist())
    print("FD plan =", np.round(fd, 8).tolist())
    fd = [(cost(plan, GAIN + h * e) - cost(plan, GAIN - h * e)) / (2 * h) for e in np.eye(4)]
    print("AD gain =", by_gain.round(8).tolist())
    print("FD gain =", np.round(fd, 8).tolist())


if __name__ == "__main__":
    main()
