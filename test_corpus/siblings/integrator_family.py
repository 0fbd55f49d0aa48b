import numpy as np
import warp as wp


from abc import ABC, abstractmethod


@wp.kernel
def rhs(x: wp.array(dtype=float), p: wp.array(dtype=float), dx: wp.array(dtype=float)):
    i = wp.tid()
    dx[i] = p[0] * x[i] * (1.0 - x[i])


@wp.kernel
def axpy(x: wp.array(dtype=float), dx: wp.array(dtype=float), h: float, out: wp.array(dtype=float)):
    i = wp.tid()
    out[i] = x[i] + h * dx[i]


@wp.kernel
def total(x: wp.array(dtype=float), loss: wp.array(dtype=float)):
    wp.atomic_add(loss, 0, x[wp.tid()] * x[wp.tid()])


def fresh(n):
    return wp.zeros(n, dtype=float, requires_grad=True)


class Integrator(ABC):
    def __init__(self, n, p, h):
        self.n, self.p, self.h = n, p, h

    def slope(self, x, out=None):
        dx = out if out is not None else fresh(self.n)
        wp.launch(rhs, dim=self.n, inputs=[x, self.p], outputs=[dx])
        return dx

    def move(self, x, dx, h, out=None):
        y = out if out is not None else fresh(self.n)
        wp.launch(axpy, dim=self.n, inputs=[x, dx, h], outputs=[y])
        return y

    @abstractmethod
    def step(self, x):
        ...

    def run(self, x, steps):
        for _ in range(steps):
            x = self.step(x)
        return x


class Midpoint(Integrator):
    def step(self, x):
        mid = self.move(x, self.slope(x), 0.5 * self.h)
        return self.move(x, self.slope(mid), self.h)


class Damped(Midpoint):
    def __init__(self, *args, damping=0.9):
        super().__init__(*args)
        self.damping = damping

    def step(self, x):
        y = super().step(x)
        return self.move(y, y, self.damping - 1.0)


def loss_of(p, record=False):
    par = wp.array(p, dtype=float, requires_grad=True)
    x0 = wp.array([0.2, 0.4, 0.7], dtype=float, requires_grad=True)
    loss = wp.zeros(1, dtype=float, requires_grad=True)
    scheme = Damped(3, par, 0.3, damping=0.95)
    tape = wp.Tape()
    with tape:
        wp.launch(total, dim=3, inputs=[scheme.run(x0, 3)], outputs=[loss])
    if record:
        tape.backward(loss)
        return par.grad.numpy()
    return float(loss.numpy()[0])


def report(ad, fd, tol=2.0e-2):
    ad = np.atleast_1d(np.asarray(ad, dtype=np.float64))
    fd = np.atleast_1d(np.asarray(fd, dtype=np.float64))
    err = np.abs(ad - fd) / np.maximum(np.abs(fd), 1.0e-3)
    worst = float(np.max(err)) if np.all(np.isfinite(ad)) else float("inf")
    verdict = "MATCH" if worst < tol else "MISMATCH"
    print("AD =", np.array2string(ad, precision=5))
    print("FD =", np.array2string(fd, precision=5))
    print(f"RESULT verdict={verdict} max_rel_err={worst:.4g}")


def central_difference(fn, x0, h=1.0e-2):
    x0 = np.asarray(x0, dtype=np.float64)
    out = np.zeros_like(x0)
    for k in np.ndindex(x0.shape):
        hi, lo = x0.copy(), x0.copy()
        hi[k] += h
        lo[k] -= h
        out[k] = (fn(hi) - fn(lo)) / (2.0 * h)
    return out


if __name__ == "__main__":
    x0 = [1.3]
    report(loss_of(x0, record=True), central_difference(loss_of, x0))
