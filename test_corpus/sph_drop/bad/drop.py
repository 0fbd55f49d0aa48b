"""Which stiffness and viscosity make a drop spread least? Gradient by the tape and by central differences."""

import numpy as np
import warp as wp
from sph import Fluid, Real, Vec, accelerate, advect, bounce, density, pressure, pressure_force, smooth_row, splash

wp.config.quiet = True


class Drop:
    def __init__(self, stiffness: float, viscosity: float, rows: int = 3):
        side = np.arange(rows) * 0.09
        self.x0 = np.stack(np.meshgrid(side, side + 0.12), axis=-1).reshape(-1, 2)
        self.x0[:, 0] += 0.01 * np.sin(7.0 * np.arange(len(self.x0)))
        self.n = len(self.x0)
        self.fluid = Fluid()
        self.fluid.radius = 0.2
        self.fluid.rest_density = 1.2e-4
        self.stiffness = self.array([stiffness])
        self.viscosity = self.array([viscosity])

    @staticmethod
    def array(values, dtype=Real):
        return wp.array(values, dtype=dtype, requires_grad=True)

    def like(self, dtype):
        return wp.zeros(self.n, dtype=dtype, requires_grad=True)

    def step(self, x, v, dt=0.01):
        n = self.n
        rho, p, f = self.like(Real), self.like(Real), self.like(Vec)
        wp.launch(density, dim=(n, n), inputs=[x, self.fluid], outputs=[rho])
        wp.launch(pressure, dim=n, inputs=[rho, self.stiffness, self.fluid], outputs=[p])
        wp.launch(pressure_force, dim=(n, n), inputs=[x, p, self.fluid], outputs=[f])

        v_new = self.like(Vec)
        wp.launch(accelerate, dim=n, inputs=[v, f, self.viscosity, dt], outputs=[v_new])
        wp.launch(smooth_row, dim=n, inputs=[v_new, 0.2])
        v_smooth = v_new
        x_new = self.like(Vec)
        wp.launch(advect, dim=n, inputs=[x, v_smooth, dt], outputs=[x_new])
        wp.launch(bounce, dim=n, inputs=[x_new, 0.2])
        return x_new, v_smooth

    def loss(self, steps: int = 5):
        x, v = self.array(self.x0, Vec), self.like(Vec)
        for _ in range(steps):
            x, v = self.step(x, v)
        loss = wp.zeros(1, dtype=Real, requires_grad=True)
        wp.launch(splash, dim=self.n, inputs=[x, v], outputs=[loss])
        return loss


def main():
    stiffness, viscosity = 2.0e3, 4.0
    drop = Drop(stiffness, viscosity)
    with wp.Tape() as tape:
        loss = drop.loss()
    tape.backward(loss)

    def value(k, mu):
        return Drop(k, mu).loss().numpy()[0]

    h = 1e-3
    print("AD stiffness =", [float(drop.stiffness.grad.numpy()[0])])
    print("FD stiffness =", [float(value(stiffness + h, viscosity) - value(stiffness - h, viscosity)) / (2 * h)])
    h = 1e-6
    print("AD viscosity =", [float(drop.viscosity.grad.numpy()[0])])
    print("FD viscosity =", [float(value(stiffness, viscosity + h) - value(stiffness, viscosity - h)) / (2 * h)])


if __name__ == "__main__":
    main()
