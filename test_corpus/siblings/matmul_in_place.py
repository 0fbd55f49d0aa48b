import numpy as np

import warp as wp


@wp.kernel
def process(v: wp.array[wp.vec2d], m: wp.array[wp.mat22d]):
    i = wp.tid()
    v[i] = m[i] @ v[i]


@wp.kernel
def weighted_sum(x: wp.array[wp.vec2d], loss: wp.array[wp.float64]):
    i = wp.tid()
    wp.atomic_add(loss, 0, wp.dot(x[i], x[i]) * wp.float64(0.25) + x[i][0] * wp.float64(i + 1) + x[i][1])


def forward(v, m):
    wp.launch(process, dim=3, inputs=[v, m], outputs=[])
    loss = wp.zeros(1, dtype=wp.float64, requires_grad=True)
    wp.launch(weighted_sum, dim=v.shape[0], inputs=[v], outputs=[loss])
    return loss


def main():
    v = wp.array(np.array([[1.0, 0.7], [2.1, 0.5], [0.3, -0.9]]), dtype=wp.vec2d, requires_grad=True)
    m = wp.array(np.array([[[1.0, 0.7], [-1.3, 2.1]], [[0.5, 1.4], [0.3, -0.9]], [[1.2, 0.1], [0.6, 0.8]]]), dtype=wp.mat22d, requires_grad=True)

    with wp.Tape() as tape:
        loss = forward(v, m)
    tape.backward(loss)

    print("v.grad:", v.grad.numpy())
    print("m.grad:", m.grad.numpy())


if __name__ == "__main__":
    main()
