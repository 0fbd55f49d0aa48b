import numpy as np

import warp as wp

wp.config.enable_vector_component_overwrites = True


@wp.kernel
def process(tr: wp.array(dtype=wp.transformd), y: wp.array(dtype=wp.float64), out: wp.array(dtype=wp.float64)):
    i = wp.tid()
    t = tr[i]
    wp.transform_set_translation(t, wp.vec3d(y[i], y[i], y[i]))
    p = wp.transform_get_translation(t)
    out[i] = wp.dot(p, p)


@wp.kernel
def weighted_sum(x: wp.array(dtype=wp.float64), loss: wp.array(dtype=wp.float64)):
    i = wp.tid()
    wp.atomic_add(loss, 0, x[i] * (wp.float64(i) + wp.float64(1.0)))


def forward(tr, y):
    out = wp.zeros(3, dtype=wp.float64, requires_grad=True)
    wp.launch(process, dim=3, inputs=[tr, y, out])
    loss = wp.zeros(1, dtype=wp.float64, requires_grad=True)
    wp.launch(weighted_sum, dim=out.shape[0], inputs=[out], outputs=[loss])
    return loss


def main():
    tr = wp.array(np.array([[1.0, 2.0, 3.0, 0.1, 0.2, 0.3, 0.9], [0.4, -1.0, 0.3, 0.5, 0.1, -0.4, 0.7], [0.2, 0.5, -0.6, 0.3, -0.3, 0.2, 0.8]]), dtype=wp.transformd, requires_grad=True)
    y = wp.array(np.array([1.5, 2.0, 3.0]), dtype=wp.float64, requires_grad=True)

    tape = wp.Tape()
    with tape:
        loss = forward(tr, y)
    tape.backward(loss)

    print("tr.grad:", tr.grad.numpy())
    print("y.grad:", y.grad.numpy())


if __name__ == "__main__":
    main()
