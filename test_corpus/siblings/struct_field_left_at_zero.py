import numpy as np

import warp as wp

@wp.struct
class S:
    a: wp.float64
    b: wp.float64
    v: wp.vec3d


@wp.kernel
def kern(x: wp.array(dtype=wp.float64), y: wp.array(dtype=wp.float64), s: S, out: wp.array(dtype=wp.float64)):
    i = wp.tid()
    s.a = x[i]
    out[i] = s.a * y[i]


@wp.kernel
def weighted_sum(x: wp.array(dtype=wp.float64), loss: wp.array(dtype=wp.float64)):
    i = wp.tid()
    wp.atomic_add(loss, 0, x[i] * (wp.float64(i) + wp.float64(1.0)))


def forward(x, y):
    s = S()
    out = wp.zeros(3, dtype=wp.float64, requires_grad=True)
    wp.launch(kern, dim=3, inputs=[x, y, s, out])
    loss = wp.zeros(1, dtype=wp.float64, requires_grad=True)
    wp.launch(weighted_sum, dim=3, inputs=[out, loss])
    return loss


def main():
    x = wp.array([1.5, 2.0, 3.0], dtype=wp.float64, requires_grad=True)
    y = wp.array(np.array([0.5, 0.7, 1.1]), dtype=wp.float64, requires_grad=True)

    with wp.Tape() as tape:
        loss = forward(x, y)
    tape.backward(loss)

    print("x.grad:", x.grad.numpy())
    print("y.grad:", y.grad.numpy())


if __name__ == "__main__":
    main()
