"""Film response: exposed pixels darken with the root of the light, dark ones stay clear."""

import numpy as np
import warp as wp


@wp.kernel
def develop(gain: wp.array(dtype=wp.float64), light: wp.array(dtype=wp.float64), film: wp.array(dtype=wp.float64)):
    i = wp.tid()
    exposure = gain[0] * light[i]
    if exposure > wp.float64(0.0):
        film[i] = wp.sqrt(exposure)


@wp.kernel
def blackness(film: wp.array(dtype=wp.float64), loss: wp.array(dtype=wp.float64)):
    i = wp.tid()
    wp.atomic_add(loss, 0, film[i])


def loss_of(gain):
    light = wp.array([0.0, 0.25, 1.0], dtype=wp.float64)
    film = wp.zeros(3, dtype=wp.float64, requires_grad=True)
    loss = wp.zeros(1, dtype=wp.float64, requires_grad=True)
    wp.launch(develop, dim=3, inputs=[gain, light], outputs=[film])
    wp.launch(blackness, dim=3, inputs=[film], outputs=[loss])
    return loss


def main():
    gain = wp.array([1.2], dtype=wp.float64, requires_grad=True)
    tape = wp.Tape()
    with tape:
        loss = loss_of(gain)
    tape.backward(loss)
    print("AD =", gain.grad.numpy().round(6).tolist())

    h = 1e-6
    high, low = (loss_of(wp.array([1.2 + d], dtype=wp.float64)).numpy()[0] for d in (h, -h))
    print("FD =", [round(float(high - low) / (2.0 * h), 6)])


if __name__ == "__main__":
    main()
