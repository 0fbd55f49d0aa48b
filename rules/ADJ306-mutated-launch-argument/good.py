"""A sail in a gusty wind: each step gets a struct of its own with its time."""

import numpy as np
import warp as wp


@wp.struct
class Wind:
    gust: wp.float64
    time: wp.float64


@wp.kernel
def sail(wind: Wind, drag: wp.array(dtype=wp.float64), speed: wp.array(dtype=wp.float64), after: wp.array(dtype=wp.float64)):
    i = wp.tid()
    blow = wp.float64(1.0) + wind.gust * wp.sin(wind.time)
    after[i] = speed[i] + wp.float64(0.1) * drag[i] * (blow - speed[i]) * blow


@wp.kernel
def pace(speed: wp.array(dtype=wp.float64), loss: wp.array(dtype=wp.float64)):
    wp.atomic_add(loss, 0, speed[wp.tid()])


def voyage(drag, steps=4):
    n = drag.shape[0]
    speeds = [wp.zeros(n, dtype=wp.float64, requires_grad=True) for _ in range(steps + 1)]
    loss = wp.zeros(1, dtype=wp.float64, requires_grad=True)
    for k in range(steps):
        wind = Wind()
        wind.gust = 0.8
        wind.time = 0.7 * k
        wp.launch(sail, dim=n, inputs=[wind, drag, speeds[k]], outputs=[speeds[k + 1]])
    wp.launch(pace, dim=n, inputs=[speeds[-1]], outputs=[loss])
    return loss


def main():
    x, h = np.array([0.5, 1.0, 2.0]), 1e-6
    drag = wp.array(x, dtype=wp.float64, requires_grad=True)
    tape = wp.Tape()
    with tape:
        loss = voyage(drag)
    tape.backward(loss)
    print("AD =", drag.grad.numpy().round(6).tolist())

    def value(values):
        return voyage(wp.array(values, dtype=wp.float64)).numpy()[0]

    print("FD =", np.round([(value(x + e) - value(x - e)) / (2.0 * h) for e in h * np.eye(3)], 6).tolist())


if __name__ == "__main__":
    main()
