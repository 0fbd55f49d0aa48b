import numpy as np

import warp as wp

N = 3


@wp.kernel
def add_square(x: wp.array[wp.float64], f: wp.array[wp.float64]):
    i = wp.tid()
    wp.atomic_add(f, i, x[i] * x[i])


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


class Scheme:
    def __init__(self, like):
        self.f = wp.zeros_like(like)

    def force(self, x):
        raise NotImplementedError

    def step(self, x):
        self.f.zero_()
        y = wp.zeros_like(x)
        self.force(x)
        wp.launch(integrate, dim=N, inputs=[x, self.f, 0.1, y])
        return y


class Quadratic(Scheme):
    def force(self, x):
        wp.launch(add_square, dim=N, inputs=[x, self.f])


class Damped(Quadratic):
    def force(self, x):
        super().force(x)
        wp.launch(add_linear, dim=N, inputs=[x, self.f])


def forward(a, kind):
    scheme = kind(a)
    x = a
    for _ in range(2):
        x = scheme.step(x)
    loss = wp.zeros(1, dtype=wp.float64, requires_grad=True)
    wp.launch(total, dim=N, inputs=[x, loss])
    return loss


def main(a0, k0):
    a = wp.array(a0, dtype=wp.float64, requires_grad=True)
    with wp.Tape() as tape:
        loss = forward(a, Damped)
    tape.backward(loss)
    return (a.grad.numpy(),)


def value(a0, k0):
    return forward(wp.array(a0, dtype=wp.float64), Damped).numpy()[0]


A0 = [1.5, 0.7, -1.1]
K0 = [0.3]


if __name__ == "__main__":
    for name, gradient in zip(("a", "k"), main(np.array(A0), np.array(K0))):
        print(f"{name}.grad:", gradient)
