import numpy as np

import warp as wp


@wp.kernel
def run_step(x: wp.array[wp.float64], out: wp.array[wp.float64]):
    i = wp.tid()
    out[i] = wp.where(x[i] > wp.float64(1.0e-6), wp.sqrt(wp.max(x[i], wp.float64(1.0e-6))), wp.float64(2.0) * x[i])


@wp.kernel
def weighted_sum(x: wp.array[wp.float64], loss: wp.array[wp.float64]):
    i = wp.tid()
    wp.atomic_add(loss, 0, x[i] * (wp.float64(i) + wp.float64(1.0)))


def forward(x):
    out = wp.zeros(3, dtype=wp.float64, requires_grad=True)
    wp.launch(run_step, dim=3, inputs=[x, out])
    loss = wp.zeros(1, dtype=wp.float64, requires_grad=True)
    wp.launch(weighted_sum, dim=3, inputs=[out, loss])
    return loss


def main():
    x = wp.array(np.array([0.0, 1.2, 0.8]), dtype=wp.float64, requires_grad=True)

    tape = wp.Tape()
    with tape:
        loss = forward(x)
    tape.backward(loss)

    print("x.grad:", x.grad.numpy())


if __name__ == "__main__":
    main()
