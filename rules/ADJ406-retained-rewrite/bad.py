"""Blurring twice with one scratch image, whose gradient is retained for a saliency map."""

import numpy as np
import warp as wp


@wp.kernel
def blur(image: wp.array(dtype=wp.float64), out: wp.array(dtype=wp.float64)):
    i = wp.tid()
    n = image.shape[0]
    side = image[wp.max(i - 1, 0)] + image[wp.min(i + 1, n - 1)]
    out[i] = wp.float64(0.5) * image[i] + wp.float64(0.25) * side


@wp.kernel
def mix(image: wp.array(dtype=wp.float64), scratch: wp.array(dtype=wp.float64), out: wp.array(dtype=wp.float64)):
    i = wp.tid()
    out[i] = wp.float64(2.0) * image[i] - scratch[i]


@wp.kernel
def energy(image: wp.array(dtype=wp.float64), loss: wp.array(dtype=wp.float64)):
    i = wp.tid()
    wp.atomic_add(loss, 0, image[i] * image[i])


def sharpen_twice(pixels):
    n = len(pixels)
    image = wp.array(pixels, dtype=wp.float64, requires_grad=True)
    scratch = wp.zeros(n, dtype=wp.float64, requires_grad=True, retain_grad=True)
    once = wp.zeros(n, dtype=wp.float64, requires_grad=True)
    twice = wp.zeros(n, dtype=wp.float64, requires_grad=True)
    loss = wp.zeros(1, dtype=wp.float64, requires_grad=True)
    wp.launch(blur, dim=n, inputs=[image], outputs=[scratch])
    wp.launch(mix, dim=n, inputs=[image, scratch], outputs=[once])
    wp.launch(blur, dim=n, inputs=[once], outputs=[scratch])  # ADJ406
    wp.launch(mix, dim=n, inputs=[once, scratch], outputs=[twice])
    wp.launch(energy, dim=n, inputs=[twice], outputs=[loss])
    return image, loss


def main():
    x, h = np.array([0.1, 0.9, 0.3, 0.5]), 1e-6
    tape = wp.Tape()
    with tape:
        image, loss = sharpen_twice(x)
    tape.backward(loss)
    print("AD =", image.grad.numpy().round(6).tolist())

    def value(pixels):
        return sharpen_twice(pixels)[1].numpy()[0]

    print("FD =", np.round([(value(x + e) - value(x - e)) / (2.0 * h) for e in h * np.eye(4)], 6).tolist())


if __name__ == "__main__":
    main()
