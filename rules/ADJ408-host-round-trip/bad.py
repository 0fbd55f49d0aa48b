"""Tone mapping: the image is scaled by its largest value, which is fetched to the host in between."""

import numpy as np
import warp as wp


@wp.kernel
def light(lamp: wp.array(dtype=wp.float64), image: wp.array(dtype=wp.float64)):
    i = wp.tid()
    image[i] = lamp[i] * lamp[i] + wp.float64(0.1)


@wp.kernel
def scale(image: wp.array(dtype=wp.float64), white: wp.float64, scaled: wp.array(dtype=wp.float64)):
    i = wp.tid()
    scaled[i] = image[i] / white


@wp.kernel
def brightness(scaled: wp.array(dtype=wp.float64), loss: wp.array(dtype=wp.float64)):
    i = wp.tid()
    wp.atomic_add(loss, 0, scaled[i])


def expose(lamp):
    n = lamp.shape[0]
    image = wp.zeros(n, dtype=wp.float64, requires_grad=True)
    scaled = wp.zeros(n, dtype=wp.float64, requires_grad=True)
    loss = wp.zeros(1, dtype=wp.float64, requires_grad=True)
    wp.launch(light, dim=n, inputs=[lamp], outputs=[image])
    white = float(image.numpy().sum())  # ADJ408
    wp.launch(scale, dim=n, inputs=[image, white], outputs=[scaled])
    wp.launch(brightness, dim=n - 1, inputs=[scaled], outputs=[loss])
    return loss


def main():
    x, h = np.array([0.5, 1.0, 1.5]), 1e-6
    lamp = wp.array(x, dtype=wp.float64, requires_grad=True)
    tape = wp.Tape()
    with tape:
        loss = expose(lamp)
    tape.backward(loss)
    print("AD =", lamp.grad.numpy().round(6).tolist())

    def value(values):
        return expose(wp.array(values, dtype=wp.float64)).numpy()[0]

    print("FD =", np.round([(value(x + e) - value(x - e)) / (2.0 * h) for e in h * np.eye(3)], 6).tolist())


if __name__ == "__main__":
    main()
