import numpy as np

import warp as wp


@wp.kernel
def compute(m: wp.array[wp.mat33d], y: wp.array[wp.float64], out: wp.array[wp.float64]):
    i = wp.tid()
    qq = wp.mat33d()
    rr = wp.mat33d()
    s = wp.vec3d()
    wp.svd3(m[i], qq, s, rr)
    s[0] = wp.min(s[0], wp.float64(2.0))
    out[i] = (s[0] + s[1]) * y[i]


@wp.kernel
def weighted_sum(x: wp.array[wp.float64], loss: wp.array[wp.float64]):
    i = wp.tid()
    wp.atomic_add(loss, 0, x[i] * (wp.float64(i) + wp.float64(1.0)))


def forward(m, y):
    out = wp.zeros(3, dtype=wp.float64, requires_grad=True)
    wp.launch(compute, dim=3, inputs=[m, y, out])
    loss = wp.zeros(1, dtype=wp.float64, requires_grad=True)
    wp.launch(weighted_sum, dim=out.shape[0], inputs=[out], outputs=[loss])
    return loss


def main():
    m = wp.array(np.arange(27.0).reshape(3, 3, 3) * 0.1 + np.eye(3) * np.array([1.0, 2.0, 3.5]), dtype=wp.mat33d, requires_grad=True)
    y = wp.array(np.array([1.5, 2.0, 3.0]), dtype=wp.float64, requires_grad=True)

    with wp.Tape() as tape:
        loss = forward(m, y)
    tape.backward(loss)

    print("m.grad:", m.grad.numpy())
    print("y.grad:", y.grad.numpy())


if __name__ == "__main__":
    main()
