"""A burning rod: the temperature alternates between two buffers while the tape records."""

import numpy as np
import warp as wp


@wp.kernel
def burn(hot: wp.array(dtype=wp.float64), fuel: wp.array(dtype=wp.float64), dt: wp.float64, hotter: wp.array(dtype=wp.float64)):
    i = wp.tid()
    n = hot.shape[0]
    left = hot[wp.max(i - 1, 0)]
    right = hot[wp.min(i + 1, n - 1)]
    spread = left - wp.float64(2.0) * hot[i] + right
    hotter[i] = hot[i] + dt * (wp.float64(0.5) * spread + fuel[i] * hot[i] * hot[i])


@wp.kernel
def total_heat(hot: wp.array(dtype=wp.float64), loss: wp.array(dtype=wp.float64)):
    wp.atomic_add(loss, 0, hot[wp.tid()])


def simulate(fuel, steps=4):
    n = fuel.shape[0]
    a = wp.array(np.linspace(1.0, 2.0, n), dtype=wp.float64, requires_grad=True)
    b = wp.zeros_like(a)
    for _ in range(steps):
        wp.launch(burn, dim=n, inputs=[a, fuel, 0.1], outputs=[b])  # ADJ301
        a, b = b, a
    loss = wp.zeros(1, dtype=wp.float64, requires_grad=True)
    wp.launch(total_heat, dim=n, inputs=[a], outputs=[loss])
    return loss


def main():
    x, h = np.array([0.5, 0.2, 0.1, 0.4]), 1e-6
    fuel = wp.array(x, dtype=wp.float64, requires_grad=True)
    tape = wp.Tape()
    with tape:
        loss = simulate(fuel)
    tape.backward(loss)
    print("AD =", fuel.grad.numpy().round(6).tolist())

    def heat(values):
        return simulate(wp.array(values, dtype=wp.float64)).numpy()[0]

    print("FD =", np.round([(heat(x + e) - heat(x - e)) / (2.0 * h) for e in h * np.eye(4)], 6).tolist())


if __name__ == "__main__":
    main()
