"""Sensitivities of two thermocouples to conductivity, losses and sources."""

import numpy as np
import plate
import warp as wp

wp.config.quiet = True

CELLS, STEPS = 7, 5
COUPLES = [2, 5]


def grad_array(n):
    return wp.zeros(n, dtype=wp.float64, requires_grad=True)


class Experiment:
    def __init__(self, p):
        self.k = wp.array(p[:1], dtype=wp.float64, requires_grad=True)
        self.loss_rate = wp.array(p[1:2], dtype=wp.float64, requires_grad=True)
        self.source = wp.array(p[2:], dtype=wp.float64, requires_grad=True)
        self.temperatures = [grad_array(CELLS) for _ in range(STEPS + 1)]
        self.cells = wp.array(COUPLES, dtype=int)
        self.reading = grad_array(len(COUPLES))

    def parameters(self):
        return self.k, self.loss_rate, self.source

    def cool(self):
        for t in self.temperatures:
            wp.launch(plate.clear, dim=CELLS, outputs=[t])

    def run(self):
        """Readings of the couples: averages at the middle and at the end of the run."""
        for s in range(STEPS):
            now, then = self.temperatures[s], self.temperatures[s + 1]
            q = grad_array(CELLS - 1)
            wp.launch(plate.flux, dim=CELLS - 1, inputs=[now, self.k], outputs=[q])
            wp.launch(plate.heat, dim=CELLS, inputs=[now, q, self.source, self.loss_rate, 0.2], outputs=[then])
        self.reading.zero_()
        for s in (STEPS // 2, STEPS):
            averaged = grad_array(CELLS)
            wp.launch(plate.average, dim=CELLS, inputs=[self.temperatures[s]], outputs=[averaged])
            wp.launch(plate.read_couple, dim=len(COUPLES), inputs=[averaged, self.cells, 0.05], outputs=[self.reading])
        return self.reading

    def sensitivity(self, weights):
        """Gradient of the weighted readings by all parameters."""
        tape = wp.Tape()
        with tape:
            reading = self.run()
        tape.backward(grads={reading: weights})
        self.cool()
        gradient = np.concatenate([p.grad.numpy() for p in self.parameters()])
        tape.zero()
        return gradient


def main():
    p = np.concatenate([[0.4, 0.3], 1.0 + 0.5 * np.sin(np.arange(CELLS))])
    weights = wp.array([1.0, -2.0], dtype=wp.float64)
    experiments = [Experiment(p), Experiment(1.2 * p)]
    rows = [e.sensitivity(weights) for e in experiments]

    h = 1e-6
    for name, row, at in zip(("cold", "hot"), rows, (p, 1.2 * p)):
        fd = []
        for e in h * np.eye(len(at)):
            change = Experiment(at + e).run().numpy() - Experiment(at - e).run().numpy()
            fd.append(change @ [1.0, -2.0] / (2 * h))
        print(f"AD {name} =", row.round(8).tolist())
        print(f"FD {name} =", np.round(fd, 8).tolist())


if __name__ == "__main__":
    main()
