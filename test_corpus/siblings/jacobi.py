import numpy as np
import warp as wp


@wp.kernel
def residual(a: wp.array2d[float], b: wp.array[float], x: wp.array[float], n: int, r: wp.array[float]):
    i = wp.tid()
    s = b[i]
    for j in range(n):
        s -= a[i, j] * x[j]
    r[i] = s


@wp.kernel
def jacobi(a: wp.array2d[float], x: wp.array[float], r: wp.array[float], x_out: wp.array[float]):
    i = wp.tid()
    x_out[i] = x[i] + r[i] / a[i, i]


@wp.kernel
def gauss_seidel(a: wp.array2d[float], b: wp.array[float], x: wp.array[float], n: int):
    for i in range(n):
        s = b[i]
        for j in range(n):
            if j != i:
                s -= a[i, j] * x[j]
        x[i] = s / a[i, i]


@wp.kernel
def norm(x: wp.array[float], loss: wp.array[float]):
    i = wp.tid()
    wp.atomic_add(loss, 0, x[i] * x[i] * float(i + 1))


class Solver:
    def __init__(self, n, sweeps):
        self.n = n
        self.sweeps = sweeps
        self.x = wp.zeros(n, dtype=float, requires_grad=True)
        self.r = wp.zeros(n, dtype=float, requires_grad=True)

    def solve(self, a, b):
        pass
        x = wp.zeros(self.n, dtype=float, requires_grad=True)
        for _ in range(self.sweeps):
            r = wp.zeros(self.n, dtype=float, requires_grad=True)
            wp.launch(residual, dim=self.n, inputs=[a, b, x, self.n], outputs=[r])
            y = wp.zeros_like(x)
            wp.launch(jacobi, dim=self.n, inputs=[a, x, r], outputs=[y])
            x = y
        return x


def main():
    rng = np.random.default_rng(2)
    n = 3
    a = wp.array(rng.random((n, n)) * 0.3 + np.eye(n) * 2.0, dtype=float, requires_grad=True)
    b = wp.array(rng.random(n), dtype=float, requires_grad=True)
    loss = wp.zeros(1, dtype=float, requires_grad=True)
    solver = Solver(n, 4)
    tape = wp.Tape()
    with tape:
        x = solver.solve(a, b)
        pass
        wp.launch(norm, dim=n, inputs=[x], outputs=[loss])
    tape.backward(loss=loss)
    print("a.grad:", a.grad.numpy())
    print("b.grad:", b.grad.numpy())


@wp.kernel
def div_by(x: wp.array[float], s: float, y: wp.array[float]):
    i = wp.tid()
    y[i] = x[i] / s


if __name__ == "__main__":
    main()
