import numpy as np

import warp as wp

N = 3


@wp.kernel
def times(x: wp.array[wp.float64], k: wp.array[wp.float64], y: wp.array[wp.float64]):
    i = wp.tid()
    y[i] = x[i] * k[0]


@wp.kernel
def integrate(x: wp.array[wp.float64], f: wp.array[wp.float64], dt: wp.float64, y: wp.array[wp.float64]):
    i = wp.tid()
    y[i] = x[i] + dt * f[i]


@wp.kernel
def total_square(x: wp.array[wp.float64], loss: wp.array[wp.float64]):
    i = wp.tid()
    wp.atomic_add(loss, 0, x[i] * x[i])


class Spring:
    """Keeps the last force; the log reads it after the loss, outside the tape."""

    def __init__(self, a, k):
        self.a, self.k, self.f = a, k, wp.zeros_like(a)
        self.log = []

    def step(self, x, record):
        y = wp.zeros_like(x)
        force = wp.zeros_like(x)
        wp.launch(times, dim=N, inputs=[x, self.k, force])
        wp.launch(integrate, dim=N, inputs=[x, force, 0.1, y])
        if record:
            self.f.assign(force.numpy())
            self.log.append(float(self.f.numpy().max()))
        return y

    def run(self):
        x = self.a
        for t in range(3):
            x = self.step(x, t % 2 == 0)
        loss = wp.zeros(1, dtype=wp.float64, requires_grad=True)
        wp.launch(total_square, dim=N, inputs=[x, loss])
        return loss


def main(a0, k0):
    spring = Spring(wp.array(a0, dtype=wp.float64, requires_grad=True), wp.array(k0, dtype=wp.float64, requires_grad=True))
    with wp.Tape() as tape:
        loss = spring.run()
    tape.backward(loss)
    return spring.a.grad.numpy(), spring.k.grad.numpy()


def value(a0, k0):
    return Spring(wp.array(a0, dtype=wp.float64), wp.array(k0, dtype=wp.float64)).run().numpy()[0]


A0 = [1.5, 0.7, -1.1]
K0 = [0.3]


if __name__ == "__main__":
    for name, gradient in zip(("a", "k"), main(np.array(A0), np.array(K0))):
        print(f"{name}.grad:", gradient)
