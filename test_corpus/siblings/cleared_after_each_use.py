import numpy as np

import warp as wp

N = 3


@wp.kernel
def add_linear(x: wp.array[wp.float64], f: wp.array[wp.float64]):
    i = wp.tid()
    wp.atomic_add(f, i, x[i] * wp.float64(0.5))


@wp.kernel
def integrate(x: wp.array[wp.float64], f: wp.array[wp.float64], dt: wp.float64, y: wp.array[wp.float64]):
    i = wp.tid()
    y[i] = x[i] + dt * f[i]


@wp.kernel
def total(x: wp.array[wp.float64], loss: wp.array[wp.float64]):
    i = wp.tid()
    wp.atomic_add(loss, 0, x[i] * (wp.float64(i) + wp.float64(1.0)))


class Forces:
    def __init__(self, a):
        self.f = wp.zeros_like(a)

    def apply(self, x, out):
        wp.launch(add_linear, dim=N, inputs=[x, self.f])
        wp.launch(integrate, dim=N, inputs=[x, self.f, 0.1, out])
        self.f.zero_()


def forward(a):
    forces = Forces(a)
    x = a
    for _ in range(2):
        y = wp.zeros_like(x)
        forces.apply(x, y)
        x = y
    loss = wp.zeros(1, dtype=wp.float64, requires_grad=True)
    wp.launch(total, dim=N, inputs=[x, loss])
    return loss


def main(a0, k0):
    a = wp.array(a0, dtype=wp.float64, requires_grad=True)
    with wp.Tape() as tape:
        loss = forward(a)
    tape.backward(loss)
    return (a.grad.numpy(),)


def value(a0, k0):
    return forward(wp.array(a0, dtype=wp.float64)).numpy()[0]


A0 = [1.5, 0.7, -1.1]
K0 = [0.3]


if __name__ == "__main__":
    for name, gradient in zip(("a", "k"), main(np.array(A0), np.array(K0))):
        print(f"{name}.grad:", gradient)
