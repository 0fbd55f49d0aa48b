"""Splatting: the brightness of each particle is put into its pixel by a plain store."""

import numpy as np
import warp as wp


@wp.kernel
def splat(
    albedo: wp.array(dtype=wp.float64),
    lamp: wp.float64,
    pixel_of: wp.array(dtype=int),
    image: wp.array(dtype=wp.float64),
):
    p = wp.tid()
    image[pixel_of[p]] = lamp * albedo[p] * albedo[p]


@wp.kernel
def brightness(image: wp.array(dtype=wp.float64), loss: wp.array(dtype=wp.float64)):
    k = wp.tid()
    wp.atomic_add(loss, 0, image[k] * wp.float64(k + 1))


def photograph(albedo):
    pixel_of = wp.array([2, 0, 3], dtype=int)
    image = wp.zeros(4, dtype=wp.float64, requires_grad=True)
    loss = wp.zeros(1, dtype=wp.float64, requires_grad=True)
    wp.launch(splat, dim=3, inputs=[albedo, 1.5, pixel_of], outputs=[image])
    wp.launch(brightness, dim=4, inputs=[image], outputs=[loss])
    return loss


def main():
    x = np.array([0.2, 0.5, 0.7])
    albedo = wp.array(x, dtype=wp.float64, requires_grad=True)
    tape = wp.Tape()
    with tape:
        loss = photograph(albedo)
    tape.backward(loss)
    print("AD =", albedo.grad.numpy().round(6).tolist())

    def value(moved):
        return photograph(wp.array(moved, dtype=wp.float64)).numpy()[0]

    print("FD =", np.round([(value(x + e) - value(x - e)) / 2e-6 for e in 1e-6 * np.eye(3)], 6).tolist())


if __name__ == "__main__":
    main()
