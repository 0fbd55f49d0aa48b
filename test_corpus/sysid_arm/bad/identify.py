"""Masses and friction of an arm from trials. Prints the gradients of a Gauss-Newton-free descent's second step."""

import arm
import numpy as np
import warp as wp
from experiment import Experiment, record

wp.config.quiet = True


class Identifier:
    def __init__(self, experiment: Experiment, mass, friction):
        self.data = experiment
        self.torque = wp.array(experiment.torque, dtype=wp.vec2d)
        self.measured = wp.array(experiment.angles, dtype=wp.vec2d)
        self.mass = wp.array([mass], dtype=wp.vec2d, requires_grad=True)
        self.friction = wp.array([friction], dtype=wp.float64, requires_grad=True)

    def _fresh(self, *shape, dtype=wp.float64):
        return wp.zeros(shape, dtype=dtype, requires_grad=True)

    def simulate(self):
        n, data = self.data.trials, self.data
        r = self._fresh(data.steps, n, dtype=wp.vec2d)
        q = wp.array(data.angles[0], dtype=wp.vec2d, requires_grad=True)
        qd = self._fresh(n, dtype=wp.vec2d)
        for t in range(data.steps):
            q1, qd1 = self._fresh(n, dtype=wp.vec2d), self._fresh(n, dtype=wp.vec2d)
            wp.launch(
                arm.step,
                dim=n,
                inputs=[q, qd, self.torque, t, self.mass, self.friction, data.dt],
                outputs=[q1, qd1],
            )
            q, qd = q1, qd1
            wp.launch(arm.residual, dim=n, inputs=[q, self.measured, t], outputs=[r])
        return r

    def loss(self):
        r = self.simulate()
        total, loss = self._fresh(1), self._fresh(1)
        wp.launch(arm.sum_of_squares, dim=r.shape, inputs=[r], outputs=[total])
        spread = float(np.sqrt(total.numpy()[0] / (r.shape[0] * r.shape[1]) + 1e-8))
        wp.launch(arm.robust_mean, dim=r.shape, inputs=[r, spread], outputs=[loss])
        return loss

    def gradients(self):
        tape = wp.Tape()
        with tape:
            loss = self.loss()
        tape.backward(loss)
        result = {"mass": self.mass.grad.numpy()[0], "friction": self.friction.grad.numpy()}
        tape.zero()
        return result

    def descend(self, rate):
        g = self.gradients()
        self.mass.assign(self.mass.numpy() - rate * g["mass"])
        self.friction.assign(self.friction.numpy() - rate * g["friction"])


def main():
    data = record()
    fit = Identifier(data, [1.0, 0.6], 0.3)
    fit.descend(0.01)
    at = np.concatenate([fit.mass.numpy()[0], fit.friction.numpy()])
    gradients = fit.gradients()

    def value(p):
        return Identifier(data, p[:2], p[2]).loss().numpy()[0]

    h = 1e-6
    fd = np.array([(value(at + h * e) - value(at - h * e)) / (2 * h) for e in np.eye(3)])
    print("AD mass =", gradients["mass"].round(9).tolist())
    print("FD mass =", fd[:2].round(9).tolist())
    print("AD friction =", gradients["friction"].round(9).tolist())
    print("FD friction =", fd[2:].round(9).tolist())


if __name__ == "__main__":
    main()
