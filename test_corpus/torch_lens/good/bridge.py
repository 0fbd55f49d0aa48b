"""The optics as a torch function. Arrays are made once and shared by all calls."""

import optics
import torch
import warp as wp


class Bench:
    """Warp side of the bench: inputs, intermediates and outputs for a fixed number of rays."""

    def __init__(self, height, focal=2.0, distance=1.9):
        self.rays = len(height)
        self.focal, self.distance = focal, distance
        self.height = wp.array(height, dtype=wp.float64)
        self.plate = wp.zeros(2, dtype=wp.float64, requires_grad=True)
        self.arrived = wp.zeros(self.rays, dtype=wp.float64, requires_grad=True)
        self.tape = None

    def forward(self, plate: torch.Tensor) -> torch.Tensor:
        self.plate.assign(wp.from_torch(plate.detach()))
        self.tape = wp.Tape()
        with self.tape:
            self.trace()
        return wp.to_torch(self.arrived).detach().clone()

    def trace(self):
        height = self.height
        for _ in range(2):
            angle = wp.zeros(self.rays, dtype=wp.float64, requires_grad=True)
            bent = wp.zeros(self.rays, dtype=wp.float64, requires_grad=True)
            wp.launch(optics.refract, dim=self.rays, inputs=[height, self.plate, self.focal], outputs=[angle])
            wp.launch(optics.propagate, dim=self.rays, inputs=[height, angle, self.distance], outputs=[bent])
            height = bent
        wp.copy(self.arrived, height)

    def backward(self, grad_arrived: torch.Tensor) -> torch.Tensor:
        seed = wp.from_torch(grad_arrived.contiguous())
        self.tape.backward(grads={self.arrived: seed})
        grad_plate = wp.to_torch(self.plate.grad).clone()
        self.tape.zero()
        return grad_plate


class TraceRays(torch.autograd.Function):
    @staticmethod
    def forward(ctx, plate, bench):
        ctx.bench = bench
        return bench.forward(plate)

    @staticmethod
    def backward(ctx, grad_arrived):
        return ctx.bench.backward(grad_arrived), None
