import numpy as np

import warp as wp


@wp.kernel
def square_kernel(src: wp.array(dtype=wp.float64), dst: wp.array(dtype=wp.float64)):
    i = wp.tid()
    dst[i] = src[i] * src[i]


def main():
    a = wp.array([1.5, 2.0, 3.0], dtype=wp.float64, requires_grad=True)
    y = wp.zeros(3, dtype=wp.float64, requires_grad=True)
    tape = wp.Tape()
    with tape:
        wp.launch(square_kernel, dim=3, inputs=[a, y])
    for r in range(3):
        seed = wp.array(np.eye(3)[r], dtype=wp.float64)
        tape.backward(grads={y: seed})
        print("a.grad:", a.grad.numpy())
        tape.reset()


if __name__ == "__main__":
    main()
