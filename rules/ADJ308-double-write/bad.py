"""A canal: one launch writes all cells, a second one the inlet's cells over them. Wrong on Warp 1.12 only."""

import numpy as np
import warp as wp


@wp.kernel
def fill(rain: wp.array[wp.float64], level: wp.array[wp.float64]):
    i = wp.tid()
    level[i] = wp.float64(2.0) * rain[i]


@wp.kernel
def inlet(height: wp.array[wp.float64], level: wp.array[wp.float64]):
    i = wp.tid()
    level[i] = height[0]


@wp.kernel
def volume(level: wp.array[wp.float64], loss: wp.array[wp.float64]):
    i = wp.tid()
    wp.atomic_add(loss, 0, level[i] * level[i])


def canal(rain, height):
    n = rain.shape[0]
    level = wp.zeros(n, dtype=wp.float64, requires_grad=True)
    loss = wp.zeros(1, dtype=wp.float64, requires_grad=True)
    wp.launch(fill, dim=n, inputs=[rain], outputs=[level])
    wp.launch(inlet, dim=2, inputs=[height], outputs=[level])  # ADJ308
    wp.launch(volume, dim=n, inputs=[level], outputs=[loss])
    return loss


def main():
    x, h = np.array([0.5, 0.25, 0.75, 1.0]), 1e-6
    height = wp.array([1.5], dtype=wp.float64, requires_grad=True)
    rain = wp.array(x, dtype=wp.float64, requires_grad=True)
    tape = wp.Tape()
    with tape:
        loss = canal(rain, height)
    tape.backward(loss)
    print("AD =", rain.grad.numpy().round(6).tolist())

    def value(values):
        return canal(wp.array(values, dtype=wp.float64), height).numpy()[0]

    print("FD =", np.round([(value(x + e) - value(x - e)) / (2.0 * h) for e in h * np.eye(4)], 6).tolist())


if __name__ == "__main__":
    main()
