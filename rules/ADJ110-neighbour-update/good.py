"""One diffusion step along a rod: every thread reads old temperatures and writes new ones."""

import numpy as np
import warp as wp


@wp.kernel
def diffuse(rate: wp.float64, temperature: wp.array[wp.float64], relaxed: wp.array[wp.float64]):
    i = wp.tid() + 1
    around = temperature[i - 1] + temperature[i + 1]
    relaxed[i] = (wp.float64(1.0) - rate) * temperature[i] + wp.float64(0.5) * rate * around


@wp.kernel
def misfit(temperature: wp.array[wp.float64], measured: wp.array[wp.float64], loss: wp.array[wp.float64]):
    i = wp.tid()
    r = temperature[i] - measured[i]
    wp.atomic_add(loss, 0, r * r)


class Rod:
    def __init__(self, initial):
        self.n = len(initial)
        self.initial = wp.array(initial, dtype=wp.float64, requires_grad=True)
        self.measured = wp.array(np.linspace(1.0, 0.0, self.n), dtype=wp.float64)
        self.loss = wp.zeros(1, dtype=wp.float64, requires_grad=True)

    def forward(self):
        relaxed = wp.clone(self.initial)
        wp.launch(diffuse, dim=self.n - 2, inputs=[0.4, self.initial, relaxed])
        wp.launch(misfit, dim=self.n, inputs=[relaxed, self.measured, self.loss])
        return self.loss


if __name__ == "__main__":
    t0 = np.array([1.0, 0.2, 0.9, 0.1, 0.5])

    rod = Rod(t0)
    tape = wp.Tape()
    with tape:
        rod.forward()
    tape.backward(rod.loss)
    print("AD =", rod.initial.grad.numpy().round(6).tolist())

    def loss_of(initial):
        return Rod(initial).forward().numpy()[0]

    h = 1e-6
    print("FD =", np.round([(loss_of(t0 + e) - loss_of(t0 - e)) / (2.0 * h) for e in h * np.eye(len(t0))], 6).tolist())
