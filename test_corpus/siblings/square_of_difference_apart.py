import numpy as np

import warp as wp


@wp.kernel
def evaluate(z: wp.array(dtype=wp.float64), out: wp.array(dtype=wp.float64)):
    i = wp.tid()
    v = z[i]
    s = wp.float64(0.0)
    for j in range(3):
        d = z[i] - z[j]
        if i != j:
            s += wp.sqrt(d * d)
    out[i] = s


@wp.kernel
def weighted_sum(x: wp.array(dtype=wp.float64), loss: wp.array(dtype=wp.float64)):
    i = wp.tid()
    wp.atomic_add(loss, 0, x[i] * (wp.float64(i) + wp.float64(1.0)))


def forward(z):
    out = wp.zeros(3, dtype=wp.float64, requires_grad=True)
    wp.launch(evaluate, dim=3, inputs=[z], outputs=[out])
    loss = wp.zeros(1, dtype=wp.float64, requires_grad=True)
    wp.launch(weighted_sum, dim=out.shape[0], inputs=[out], outputs=[loss])
    return loss


def main():
    z = wp.array([0.0, 0.5, 2.0], dtype=wp.float64, requires_grad=True)

    tape = wp.Tape()
    with tape:
        loss = forward(z)
    tape.backward(loss)

    print("z.grad:", z.grad.numpy())


if __name__ == "__main__":
    main()
