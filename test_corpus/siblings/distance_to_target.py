import numpy as np

import warp as wp


@wp.kernel
def evaluate(p: wp.array[wp.vec3d], g: wp.array[wp.vec3d], out: wp.array[wp.float64]):
    i = wp.tid()
    d = p[i] - g[i]
    out[i] = wp.sqrt(wp.dot(d, d))


@wp.kernel
def weighted_sum(x: wp.array[wp.float64], loss: wp.array[wp.float64]):
    i = wp.tid()
    wp.atomic_add(loss, 0, x[i] * (wp.float64(i) + wp.float64(1.0)))


def forward(p, g):
    out = wp.zeros(3, dtype=wp.float64, requires_grad=True)
    wp.launch(evaluate, dim=3, inputs=[p, g, out])
    loss = wp.zeros(1, dtype=wp.float64, requires_grad=True)
    wp.launch(weighted_sum, dim=3, inputs=[out, loss])
    return loss


def main():
    p = wp.array(np.array([[1.0, -2.0, 3.0], [4.0, 5.0, 6.0], [1.2, -0.3, 0.9]]), dtype=wp.vec3d, requires_grad=True)
    g = wp.array(np.array([[1.0, -2.0, 3.0], [4.0, 5.0, 6.5], [1.2, -0.3, 0.7]]), dtype=wp.vec3d, requires_grad=True)

    tape = wp.Tape()
    with tape:
        loss = forward(p, g)
    tape.backward(loss)

    print("p.grad:", p.grad.numpy())
    print("g.grad:", g.grad.numpy())


if __name__ == "__main__":
    main()
