import numpy as np

import warp as wp


@wp.kernel
def update_kernel(q: wp.array[wp.vec3d], out: wp.array[wp.float64], n: int):
    i = wp.tid()
    s = wp.float64(0.0)
    for j in range(n):
        d = q[i] - q[j]
        if i != j:
            s += wp.sqrt(wp.dot(d, d))
    out[i] = s


@wp.kernel
def weighted_sum(x: wp.array[wp.float64], loss: wp.array[wp.float64]):
    i = wp.tid()
    wp.atomic_add(loss, 0, x[i] * (wp.float64(i) + wp.float64(1.0)))


def forward(q):
    out = wp.zeros(3, dtype=wp.float64, requires_grad=True)
    wp.launch(update_kernel, dim=3, inputs=[q, out, 3])
    loss = wp.zeros(1, dtype=wp.float64, requires_grad=True)
    wp.launch(weighted_sum, dim=out.shape[0], inputs=[out], outputs=[loss])
    return loss


def main():
    q = wp.array(np.array([[1.0, 0.7, -1.3], [2.1, 0.5, 0.4], [0.3, -0.9, 1.2]]), dtype=wp.vec3d, requires_grad=True)

    with wp.Tape() as tape:
        loss = forward(q)
    tape.backward(loss)

    print("q.grad:", q.grad.numpy())


if __name__ == "__main__":
    main()
