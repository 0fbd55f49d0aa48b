from enum import Enum, IntEnum, auto

import numpy as np
import warp as wp


class Scheme(IntEnum):
    EXPLICIT = 0
    IN_PLACE = 1


class Phase(Enum):
    WARM = auto()
    MAIN = auto()


@wp.kernel
def update(x: wp.array(dtype=float), v: wp.array(dtype=float), k: wp.array(dtype=float), scheme: int, x_out: wp.array(dtype=float), v_out: wp.array(dtype=float)):
    i = wp.tid()
    if scheme == Scheme.EXPLICIT:
        v_out[i] = v[i] - 0.1 * k[0] * x[i]
        x_out[i] = x[i] + 0.1 * v[i]
    if scheme == Scheme.IN_PLACE:
        x[i] = x[i] * (1.0 - 0.1 * k[0])
        x_out[i] = x[i]
        v_out[i] = v[i]


@wp.kernel
def energy(x: wp.array(dtype=float), v: wp.array(dtype=float), e: wp.array(dtype=float)):
    i = wp.tid()
    wp.atomic_add(e, 0, x[i] * x[i] + v[i] * v[i])


class Run:
    def __init__(self, k, scheme=Scheme.EXPLICIT, phase=Phase.MAIN):
        self.k = wp.array(k, dtype=float, requires_grad=True)
        self.scheme = scheme
        self.phase = phase
        self.scratch = self.new() if phase is Phase.WARM else None

    def new(self):
        return [wp.zeros(2, dtype=float, requires_grad=True) for _ in range(2)]

    def output(self):
        if self.phase is Phase.WARM:
            return self.scratch
        return self.new()

    def rollout(self):
        x = wp.array([0.5, -0.8], dtype=float, requires_grad=True)
        v = wp.array([0.1, 0.3], dtype=float, requires_grad=True)
        for _ in range(3):
            xo, vo = self.output()
            wp.launch(update, dim=2, inputs=[x, v, self.k, self.scheme, xo, vo])
            x, v = xo, vo
        e = wp.zeros(1, dtype=float, requires_grad=True)
        wp.launch(energy, dim=2, inputs=[x, v, e])
        return e


def loss_of(k, record=False):
    run = Run(k, Scheme(1))
    if not record:
        return float(run.rollout().numpy()[0])
    with wp.Tape() as tape:
        e = run.rollout()
    tape.backward(e)
    return run.k.grad.numpy()


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
    x0 = [1.4]
    report(loss_of(x0, record=True), central_difference(loss_of, x0))
