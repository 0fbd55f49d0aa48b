"""A tracer in a pipe, all linear: buffers are swapped and reused on one tape, which is exact here.

The gradient by the inlet's concentrations needs no value of the tracer; velocities and decay are constants.
"""

import numpy as np
import warp as wp

wp.config.quiet = True

CELLS, STEPS = 8, 10


@wp.kernel(enable_backward=False)
def courant_numbers(velocity: wp.array(dtype=wp.float64), dt: wp.float64, courant: wp.array(dtype=wp.float64)):
    i = wp.tid()
    courant[i] = velocity[i] * dt


@wp.kernel
def upwind(c: wp.array(dtype=wp.float64), courant: wp.array(dtype=wp.float64), moved: wp.array(dtype=wp.float64)):
    i = wp.tid()
    if i == 0:
        moved[i] = c[i] - courant[i] * c[i]
    else:
        moved[i] = c[i] - courant[i] * (c[i] - c[i - 1])


@wp.kernel
def decay(rate: wp.float64, c: wp.array(dtype=wp.float64)):
    i = wp.tid()
    c[i] *= wp.float64(1.0) - rate


@wp.kernel
def inflow(inlet: wp.array(dtype=wp.float64), t: int, c: wp.array(dtype=wp.float64)):
    c[0] += wp.float64(0.5) * inlet[t] * inlet[t]


@wp.kernel
def detect(c: wp.array(dtype=wp.float64), t: int, signal: wp.array(dtype=wp.float64)):
    signal[t] = c[CELLS - 3]


@wp.kernel
def compare(signal: wp.array(dtype=wp.float64), measured: wp.array(dtype=wp.float64), loss: wp.array(dtype=wp.float64)):
    t = wp.tid()
    wp.atomic_add(loss, 0, (signal[t] - measured[t]) * (signal[t] - measured[t]))


class Pipe:
    """Two concentration buffers that take turns, and a signal with a place per step."""

    def __init__(self):
        self.buffers = [wp.zeros(CELLS, dtype=wp.float64, requires_grad=True) for _ in range(2)]
        self.signal = wp.zeros(STEPS, dtype=wp.float64, requires_grad=True)
        self.measured = wp.array(np.linspace(0.0, 0.3, STEPS), dtype=wp.float64)
        self.courant = wp.zeros(CELLS, dtype=wp.float64)
        velocity = wp.array(np.linspace(0.9, 0.6, CELLS), dtype=wp.float64)
        wp.launch(courant_numbers, dim=CELLS, inputs=[velocity, 0.9], outputs=[self.courant])

    def swap(self):
        self.buffers.reverse()

    def run(self, inlet):
        for t in range(STEPS):
            now, then = self.buffers
            wp.launch(upwind, dim=CELLS, inputs=[now, self.courant], outputs=[then])
            wp.launch(decay, dim=CELLS, inputs=[0.05], outputs=[then])
            wp.launch(inflow, dim=1, inputs=[inlet, t], outputs=[then])
            wp.launch(detect, dim=1, inputs=[then, t], outputs=[self.signal])
            self.swap()
        loss = wp.zeros(1, dtype=wp.float64, requires_grad=True)
        wp.launch(compare, dim=STEPS, inputs=[self.signal, self.measured], outputs=[loss])
        return loss


if __name__ == "__main__":
    x = 0.4 + 0.2 * np.sin(np.arange(STEPS))
    inlet = wp.array(x, dtype=wp.float64, requires_grad=True)
    with wp.Tape() as tape:
        loss = Pipe().run(inlet)
    tape.backward(loss)

    def value(values):
        return Pipe().run(wp.array(values, dtype=wp.float64)).numpy()[0]

    h = 1e-6
    print("AD inlet =", inlet.grad.numpy().round(8).tolist())
    print("FD inlet =", np.round([(value(x + h * e) - value(x - h * e)) / (2 * h) for e in np.eye(STEPS)], 8).tolist())
