import numpy as np

import warp as wp

FLAG = False


@wp.kernel
def process(a: wp.array[wp.float64], b: wp.array[wp.float64]):
    i = wp.tid()
    if wp.static(FLAG):
        a[i] = a[i] * b[i]
    else:
        a[i] = a[i] + b[i]


@wp.kernel
def weighted_sum(x: wp.array[wp.float64], loss: wp.array[wp.float64]):
    i = wp.tid()
    wp.atomic_add(loss, 0, x[i] * (wp.float64(i) + wp.float64(1.0)))


def forward(a, b):
    wp.launch(process, dim=3, inputs=[a, b])
    loss = wp.zeros(1, dtype=wp.float64, requires_grad=True)
    wp.launch(weighted_sum, dim=a.shape[0], inputs=[a], outputs=[loss])
    return loss


def main():
    a = wp.array(np.array([1.5, 2.0, 3.0]), dtype=wp.float64, requires_grad=True)
    b = wp.array([0.5, 0.7, 1.1], dtype=wp.float64, requires_grad=True)

    with wp.Tape() as tape:
        loss = forward(a, b)
    tape.backward(loss)

    print("a.grad:", a.grad.numpy())
    print("b.grad:", b.grad.numpy())


if __name__ == "__main__":
    main()
