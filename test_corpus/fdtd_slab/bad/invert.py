"""Full-waveform inversion of a slab: permittivity, conductivity and the source's strength from a probe's trace."""

import numpy as np
import warp as wp
from maxwell import Fdtd, Grid
from maxwell.kernels import misfit

wp.config.quiet = True


def loss_of(grid, measured, solver, amplitude):
    trace = solver.run(amplitude)
    loss = wp.zeros(1, dtype=wp.float64, requires_grad=True)
    wp.launch(misfit, dim=grid.steps, inputs=[trace, measured], outputs=[loss])
    return loss


def leaf(values):
    return wp.array(values, dtype=wp.float64, requires_grad=True)


def main():
    grid = Grid()
    eps = np.ones(grid.cells)
    eps[10:15] = [2.0, 2.4, 2.6, 2.2, 1.8]
    sigma = np.zeros(grid.cells)
    sigma[10:15] = 0.05
    amplitude = np.array([1.2])
    measured = wp.array(0.3 * np.sin(0.4 * np.arange(grid.steps)), dtype=wp.float64)

    truth = [leaf(eps), leaf(sigma), leaf(amplitude)]
    solver = Fdtd(grid)
    solver.prepare(truth[0], truth[1])
    with wp.Tape() as tape:
        loss = loss_of(grid, measured, solver, truth[2])
    tape.backward(loss)

    def value(*parameters):
        eps, sigma, amplitude = (wp.array(p, dtype=wp.float64) for p in parameters)
        solver = Fdtd(grid)
        solver.prepare(eps, sigma)
        return loss_of(grid, measured, solver, amplitude).numpy()[0]

    slab, h = slice(10, 15), 1e-6
    directions = h * np.eye(grid.cells)[slab]
    fd = [value(eps + d, sigma, amplitude) - value(eps - d, sigma, amplitude) for d in directions]
    print("AD eps =", truth[0].grad.numpy()[slab].round(8).tolist())
    print("FD eps =", (np.array(fd) / (2 * h)).round(8).tolist())
    fd = [value(eps, sigma + d, amplitude) - value(eps, sigma - d, amplitude) for d in directions]
    print("AD sigma =", truth[1].grad.numpy()[slab].round(8).tolist())
    print("FD sigma =", (np.array(fd) / (2 * h)).round(8).tolist())
    fd = value(eps, sigma, amplitude + h) - value(eps, sigma, amplitude - h)
    print("AD amplitude =", truth[2].grad.numpy().round(8).tolist())
    print("FD amplitude =", [round(float(fd) / (2 * h), 8)])


if __name__ == "__main__":
    main()
