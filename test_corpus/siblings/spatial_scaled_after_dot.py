import numpy as np

import warp as wp


@wp.kernel
def step_kernel(s: wp.array(dtype=wp.spatial_vectord), out: wp.array(dtype=wp.float64)):
    i = wp.tid()
    out[i] = wp.dot(wp.spatial_top(s[i]), wp.spatial_bottom(s[i]))
    s[i] = s[i] * wp.float64(0.5)


@wp.kernel
def weighted_sum(x: wp.array(dtype=wp.float64), loss: wp.array(dtype=wp.float64)):
    i = wp.tid()
    wp.atomic_add(loss, 0, x[i] * (wp.float64(i) + wp.float64(1.0)))


def forward(s):
    out = wp.zeros(3, dtype=wp.float64, requires_grad=True)
    wp.launch(step_kernel, dim=3, inputs=[s], outputs=[out])
    loss = wp.zeros(1, dtype=wp.float64, requires_grad=True)
    wp.launch(weighted_sum, dim=out.shape[0], inputs=[out], outputs=[loss])
    return loss


def main():
    s = wp.array(np.arange(18.0).reshape(3, 6) * 0.1 + 0.2, dtype=wp.spatial_vectord, requires_grad=True)

    with wp.Tape() as tape:
        loss = forward(s)
    tape.backward(loss)

    print("s.grad:", s.grad.numpy())


if __name__ == "__main__":
    main()
