import numpy as np
import warp as wp


@wp.kernel
def euler(x: wp.array[float], k: wp.array[float], dt: float, out: wp.array[float]):
    i = wp.tid()
    out[i] = x[i] - dt * k[0] * x[i] * x[i]


@wp.kernel
def half(x: wp.array[float], k: wp.array[float], dt: float, out: wp.array[float]):
    i = wp.tid()
    out[i] = x[i] - 0.5 * dt * k[0] * x[i] * x[i]


@wp.kernel
def full(x: wp.array[float], m: wp.array[float], k: wp.array[float], dt: float, out: wp.array[float]):
    i = wp.tid()
    out[i] = x[i] - dt * k[0] * m[i] * m[i]


@wp.kernel
def total(x: wp.array[float], loss: wp.array[float]):
    i = wp.tid()
    wp.atomic_add(loss, 0, x[i] * float(i + 1))


class Integrator:
    def __init__(self, k):
        self.k = k

    def step(self, x, dt):
        raise NotImplementedError

    def run(self, x, n, dt):
        for _ in range(n):
            x = self.step(x, dt)
        return x


class Euler(Integrator):
    def step(self, x, dt):
        out = wp.zeros_like(x)
        wp.launch(euler, dim=x.shape, inputs=[x, self.k, dt], outputs=[out])
        return out


class Midpoint(Integrator):
    def __init__(self, k, n):
        super().__init__(k)
        self.mid = wp.zeros(n, dtype=float, requires_grad=True)

    def step(self, x, dt):
        m = wp.zeros_like(x)
        wp.launch(half, dim=x.shape, inputs=[x, self.k, dt], outputs=[m])
        out = wp.zeros_like(x)
        wp.launch(full, dim=x.shape, inputs=[x, m, self.k, dt], outputs=[out])
        return out


class InPlace(Integrator):
    def step(self, x, dt):
        wp.launch(euler, dim=x.shape, inputs=[x, self.k, dt], outputs=[x])
        return x


def make(kind, k, n):
    return {"euler": Euler(k), "mid": Midpoint(k, n), "inplace": InPlace(k)}[kind]


def main():
    k = wp.array([0.7], dtype=float, requires_grad=True)
    x0 = wp.array([1.0, 0.5, 0.8], dtype=float, requires_grad=True)
    loss = wp.zeros(1, dtype=float, requires_grad=True)
    solver = make("mid", k, 3)
    tape = wp.Tape()
    with tape:
        x = x0
        x = solver.run(x, 3, 0.4)
        wp.launch(total, dim=3, inputs=[x], outputs=[loss])
    tape.backward(loss=loss)
    print("k.grad:", k.grad.numpy())
    print("x0.grad:", x0.grad.numpy())


if __name__ == "__main__":
    main()
