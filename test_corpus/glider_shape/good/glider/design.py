"""A design: camber of each panel, and the tape that differentiates its flight."""

import numpy as np
import warp as wp

from . import flight

STEPS = 6


class Design:
    def __init__(self, camber):
        self.panels = len(camber)
        self.camber = wp.array(camber, dtype=wp.float64, requires_grad=True)
        self.area = wp.array(np.linspace(0.05, 0.02, self.panels), dtype=wp.float64)
        self.loss = wp.zeros(1, dtype=wp.float64, requires_grad=True)
        self.tape = wp.Tape()

    def trajectory(self):
        position = wp.zeros(STEPS + 1, dtype=wp.vec2d, requires_grad=True)
        velocity = wp.array([[6.0, -0.5]] + [[0.0, 0.0]] * STEPS, dtype=wp.vec2d, requires_grad=True)
        force = wp.zeros(STEPS, dtype=wp.vec2d, requires_grad=True)
        for k in range(STEPS):
            wp.launch(
                flight.panel_forces,
                dim=self.panels,
                inputs=[self.camber, self.area, velocity, k],
                outputs=[force],
            )
            wp.launch(flight.fly, dim=1, inputs=[force, 0.5, 0.1, k], outputs=[position, velocity])
        return position

    def forward(self):
        position = self.trajectory()
        wp.launch(flight.range_loss, dim=1, inputs=[position, STEPS], outputs=[self.loss])
        wp.launch(flight.roughness, dim=self.panels - 1, inputs=[self.camber, 50.0], outputs=[self.loss])

    def iterate(self, rate):
        """One step of descent; returns the gradient it used and the cambers it belongs to."""
        before = self.camber.numpy().copy()
        self.loss.zero_()
        self.tape.reset()
        with self.tape:
            self.forward()
        self.tape.backward(loss=self.loss)
        gradient = self.camber.grad.numpy().copy()
        wp.launch(flight.descend, dim=self.panels, inputs=[self.camber.grad, rate], outputs=[self.camber])
        self.tape.zero()
        return before, gradient
