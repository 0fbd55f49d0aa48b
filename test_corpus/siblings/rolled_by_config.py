import numpy as np

import warp as wp

wp.config.max_unroll = 4


@wp.kernel
def run_step(x: wp.array[wp.float64], y: wp.array[wp.float64], out: wp.array[wp.float64]):
    i = wp.tid()
    s = x[i]
    for k in range(8):
        s = s * (wp.float64(1.0) - wp.float64(0.01) * y[i])
    out[i] = s


@wp.kernel
def weighted_sum(x: wp.array[wp.float64], loss: wp.array[wp.float64]):
    i = wp.tid()
    wp.atomic_add(loss, 0, x[i] * (wp.float64(i) + wp.float64(1.0)))


def forward(x, y):
    out = wp.zeros(3, dtype=wp.float64, requires_grad=True)
    wp.launch(run_step, dim=3, inputs=[x, y, out])
    loss = wp.zeros(1, dtype=wp.float64, requires_grad=True)
    wp.launch(weighted_sum, dim=3, inputs=[out, loss])
    return loss


def main():
    x = wp.array(np.array([1.5, 1.2, 0.8]), dtype=wp.float64, requires_grad=True)
    y = wp.array(np.array([0.5, 0.7, 1.1]), dtype=wp.float64, requires_grad=True)

    tape = wp.Tape()
    with tape:
        loss = forward(x, y)
    tape.backward(loss)

    print("x.grad:", x.grad.numpy())
    print("y.grad:", y.grad.numpy())


if __name__ == "__main__":
    main()
