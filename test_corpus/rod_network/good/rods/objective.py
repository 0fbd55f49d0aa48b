"""What the network should do under load."""

import warp as wp

from .network import Network
from .solvers import Explicit


@wp.kernel
def sag(x: wp.array[wp.vec2d], start: wp.array[wp.vec2d], loss: wp.array[wp.float64]):
    i = wp.tid()
    wp.atomic_add(loss, 0, wp.length_sq(x[i] - start[i]))


class Objective:
    def __init__(self, stiffness, load, steps=5):
        self.network = Network(stiffness, load)
        self.solver = Explicit(self.network)
        self.steps = steps
        self.start = wp.array(self.network.x0, dtype=wp.vec2d)

    def __call__(self):
        self.solver.restart(self.network.x0)
        x = self.solver.run(self.steps)
        loss = wp.zeros(1, dtype=wp.float64, requires_grad=True)
        wp.launch(kernel=sag, dim=self.network.nodes, inputs=[x, self.start], outputs=[loss])
        return loss

    def gradient(self):
        """Loss and gradients by stiffness and load; callable any number of times."""
        tape = wp.Tape()
        with tape:
            loss = self()
        tape.backward(loss)
        stiffness, load = (p.grad.numpy().copy() for p in (self.network.stiffness, self.network.load))
        tape.zero()
        return loss.numpy()[0], stiffness, load
