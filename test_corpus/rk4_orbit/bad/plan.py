"""Thrust of two probes such that both arrive; also the gradient by the bodies' gravitational parameters."""

import dynamics
import numpy as np
import warp as wp
from integrators import Integrator, Rk4

wp.config.quiet = True

START = [[-1.0, 0.2, 0.3, 0.9], [0.4, -1.1, 0.8, 0.1]]


class Mission:
    def __init__(self, thrust, mu, scheme: type[Integrator] = Rk4):
        self.thrust = wp.array(thrust, dtype=wp.vec2d, requires_grad=True)
        self.mu = wp.array(mu, dtype=wp.float64, requires_grad=True)
        self.integrator = scheme(self.accelerate, h=0.15)

    def accelerate(self, state, rate):
        wp.launch(dynamics.derivative, dim=state.shape, inputs=[state, self.thrust, self.mu], outputs=[rate])

    def fly(self, steps=5):
        start = wp.array(START, dtype=wp.vec4d, requires_grad=True)
        end = self.integrator.run(start, steps)
        loss = wp.zeros(1, dtype=wp.float64, requires_grad=True)
        wp.launch(dynamics.arrival, dim=end.shape, inputs=[end, wp.vec2d(1.5, 0.3)], outputs=[loss])
        return loss


def main():
    thrust = np.array([[0.1, -0.05], [0.0, 0.2]])
    mu = np.array([1.0, 0.3])
    mission = Mission(thrust, mu)
    with wp.Tape() as tape:
        loss = mission.fly()
    tape.backward(loss)

    h = 1e-6
    fd = []
    for e in h * np.eye(4).reshape(4, 2, 2):
        fd.append((Mission(thrust + e, mu).fly().numpy()[0] - Mission(thrust - e, mu).fly().numpy()[0]) / (2 * h))
    print("AD thrust =", mission.thrust.grad.numpy().flatten().round(7).tolist())
    print("FD thrust =", np.round(fd, 7).tolist())
    fd = []
    for e in h * np.eye(2):
        fd.append((Mission(thrust, mu + e).fly().numpy()[0] - Mission(thrust, mu - e).fly().numpy()[0]) / (2 * h))
    print("AD mu =", mission.mu.grad.numpy().round(7).tolist())
    print("FD mu =", np.round(fd, 7).tolist())


if __name__ == "__main__":
    main()
