"""Two tapes in a row: the first flies, the second scores. The second hands its gradient to the first by `.grad`.

A captured graph is used where there is a GPU: the forward is recorded once and replayed.
"""

import numpy as np
import packing as p
import warp as wp

wp.config.quiet = True

N, STEPS, DT = 3, 4, 0.2


class Packed:
    """x, v and battery as disjoint slices of one array of 3 N numbers."""

    def __init__(self, values=None):
        start = np.zeros(3 * N) if values is None else values
        self.all = wp.array(start, dtype=wp.float64, requires_grad=True)
        self.x = self.all[0:N]
        self.v = self.all[N : 2 * N]
        self.battery = self.all[2 * N : 3 * N]


class Flight:
    def __init__(self, command, rate):
        self.command = wp.array(command, dtype=wp.float64, requires_grad=True)
        self.rate = wp.array([rate], dtype=wp.float64, requires_grad=True)
        self.states = [Packed(np.repeat([0.0, 0.5, 1.0], N))] + [Packed() for _ in range(STEPS)]
        self.goal = wp.array([1.0, 1.2, 0.8], dtype=wp.float64)
        self.loss = wp.zeros(1, dtype=wp.float64, requires_grad=True)
        self.graph = None

    def fly(self):
        for now, then in zip(self.states, self.states[1:]):
            force = wp.zeros(N, dtype=wp.float64, requires_grad=True)
            wp.launch(p.thrust, dim=N, inputs=[self.command, now.battery], outputs=[force])
            wp.launch(p.drain, dim=N, inputs=[now.battery, self.command, self.rate], outputs=[then.battery])
            wp.launch(p.accelerate, dim=N, inputs=[now.v, force, DT], outputs=[then.v])
            wp.launch(p.move, dim=N, inputs=[now.x, then.v, DT], outputs=[then.x])
        return self.states[-1]

    def score(self, end):
        wp.launch(p.distance, dim=N, inputs=[end.x, self.goal], outputs=[self.loss])

    def forward_and_backward(self):
        flight, scoring = wp.Tape(), wp.Tape()
        with flight:
            end = self.fly()
        with scoring:
            self.score(end)
        scoring.backward(self.loss)
        flight.backward()
        result = self.command.grad.numpy().copy(), self.rate.grad.numpy().copy()
        scoring.zero()
        flight.zero()
        return result

    def iterate(self):
        wp.launch(p.reset, dim=1, inputs=[0.0], outputs=[self.loss])
        if wp.get_device().is_cuda:
            if self.graph is None:
                with wp.ScopedCapture() as capture:
                    self.score(self.fly())
                self.graph = capture.graph
            wp.capture_launch(self.graph)
            wp.launch(p.reset, dim=1, inputs=[0.0], outputs=[self.loss])
        by_command, by_rate = self.forward_and_backward()
        at = self.command.numpy().copy()
        self.command.assign(at - 0.1 * by_command)
        return at, by_command, by_rate


def value(command, rate):
    flight = Flight(command, rate)
    flight.score(flight.fly())
    return flight.loss.numpy()[0]


def main():
    rate, h = 0.15, 1e-6
    flight = Flight([0.8, 1.0, 0.6], rate)
    for _ in range(2):
        at, by_command, by_rate = flight.iterate()
    print("AD command =", by_command.round(8).tolist())
    print("FD command =", np.round([(value(at + h * e, rate) - value(at - h * e, rate)) / (2 * h) for e in np.eye(N)], 8).tolist())
    print("AD rate =", by_rate.round(8).tolist())
    print("FD rate =", [round(float(value(at, rate + h) - value(at, rate - h)) / (2 * h), 8)])


if __name__ == "__main__":
    main()
