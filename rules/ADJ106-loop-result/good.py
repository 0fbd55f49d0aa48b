"""Auto-exposure: each image row is divided by its own mean luminance, summed in a func."""

import numpy as np
import warp as wp


@wp.func
def row_sum(image: wp.array2d[wp.float64], row: int):
    total = wp.float64(0.0)
    for col in range(image.shape[1]):
        total += image[row, col]
    return total


@wp.kernel
def expose(image: wp.array2d[wp.float64], exposed: wp.array2d[wp.float64]):
    row = wp.tid()
    width = image.shape[1]
    gain = wp.float64(width) / row_sum(image, row)
    for col in range(width):
        exposed[row, col] = gain * image[row, col]


@wp.kernel
def contrast(exposed: wp.array2d[wp.float64], loss: wp.array[wp.float64]):
    row, col = wp.tid()
    wp.atomic_add(loss, 0, exposed[row, col] * wp.float64(col * col))


def loss_of(pixels):
    image = wp.array(pixels, dtype=wp.float64, requires_grad=True)
    exposed = wp.zeros_like(image)
    loss = wp.zeros(1, dtype=wp.float64, requires_grad=True)
    wp.launch(expose, dim=image.shape[0], inputs=[image], outputs=[exposed])
    wp.launch(contrast, dim=image.shape, inputs=[exposed], outputs=[loss])
    return image, loss


if __name__ == "__main__":
    pixels = np.array([[0.2, 0.5, 0.9], [0.8, 0.4, 0.1]])

    with wp.Tape() as tape:
        image, loss = loss_of(pixels)
    tape.backward(loss)
    print("AD =", image.grad.numpy().flatten().round(6).tolist())

    h = 1e-6
    basis = h * np.eye(pixels.size).reshape(-1, *pixels.shape)
    fd = [(loss_of(pixels + e)[1].numpy()[0] - loss_of(pixels - e)[1].numpy()[0]) / (2.0 * h) for e in basis]
    print("FD =", np.round(fd, 6).tolist())
