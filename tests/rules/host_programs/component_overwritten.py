"""A component is stored that an earlier launch read and still needs."""

import warp as wp
from common import Array, F, buffer, leaves, scalar, weighted_sum

Vectors = wp.array(dtype=wp.vec3d)


@wp.kernel
def pack(a: Array, v: Vectors):
    i = wp.tid()
    v[i] = wp.vec3d(a[i], F(2.0) * a[i], F(3.0) * a[i])


@wp.kernel
def read_first(v: Vectors, out: Array):
    i = wp.tid()
    out[i] = wp.sin(v[i][0])


@wp.kernel
def store_second(out: Array, k: Array, v: Vectors):
    i = wp.tid()
    v[i][0] = out[i] * k[i]


@wp.kernel
def collect(v: Vectors, out: Array, dst: Array):
    i = wp.tid()
    dst[i] = wp.dot(v[i], v[i]) + out[i]


def forward(a, k):
    v = wp.zeros(4, dtype=wp.vec3d, requires_grad=True)
    out, dst, loss = buffer(), buffer(), scalar()
    wp.launch(pack, dim=4, inputs=[a], outputs=[v])
    wp.launch(read_first, dim=4, inputs=[v], outputs=[out])
    wp.launch(store_second, dim=4, inputs=[out, k], outputs=[v])  # ADJ301
    wp.launch(collect, dim=4, inputs=[v, out], outputs=[dst])
    wp.launch(weighted_sum, dim=4, inputs=[dst], outputs=[loss])
    return loss


def main():
    a, k = leaves()
    tape = wp.Tape()
    with tape:
        loss = forward(a, k)
    tape.backward(loss)
    return a.grad.numpy(), k.grad.numpy()


def value(a, k):
    return forward(a, k).numpy()[0]


if __name__ == "__main__":
    print(main())
