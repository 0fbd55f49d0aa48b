from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
import warp as wp


@wp.func
def field_at(p: wp.vec2, amp: float):
    return wp.vec2(-amp * wp.sin(p[1]), amp * wp.sin(p[0]))


@wp.kernel
def half_step(p: wp.array[wp.vec2], amp: wp.array[float], dt: float, mid: wp.array[wp.vec2]):
    i = wp.tid()
    mid[i] = p[i] + field_at(p[i], amp[0]) * (0.5 * dt)


@wp.kernel
def full_step(p: wp.array[wp.vec2], mid: wp.array[wp.vec2], amp: wp.array[float], dt: float, out: wp.array[wp.vec2]):
    i = wp.tid()
    out[i] = p[i] + field_at(mid[i], amp[0]) * dt


@wp.kernel
def spread(p: wp.array[wp.vec2], loss: wp.array[float]):
    i = wp.tid()
    wp.atomic_add(loss, 0, wp.length_sq(p[i]))


@dataclass
class Particles:
    p: wp.array
    mid: wp.array = field(default=None)

    def __post_init__(self):
        if self.mid is None:
            self.mid = wp.zeros_like(self.p)

    def successor(self) -> Particles:
        return Particles(wp.zeros_like(self.p))


@dataclass(frozen=True)
class Config:
    dt: float = 0.3
    steps: int = 4


def advance(s: Particles, amp, cfg: Config) -> Particles:
    n = s.p.shape[0]
    nxt = s.successor()
    wp.launch(half_step, dim=n, inputs=[s.p, amp, cfg.dt], outputs=[s.mid])
    wp.launch(full_step, dim=n, inputs=[s.p, s.mid, amp, cfg.dt], outputs=[nxt.p])
    return nxt


def loss_of(a, record=False, cfg=Config()):
    amp = wp.array(a, dtype=float, requires_grad=True)
    s = Particles(wp.array([[0.3, 0.8], [1.0, -0.4]], dtype=wp.vec2, requires_grad=True))
    loss = wp.zeros(1, dtype=float, requires_grad=True)
    with wp.Tape() as tape:
        for _ in range(cfg.steps):
            s = advance(s, amp, cfg)
        wp.launch(spread, dim=2, inputs=[s.p], outputs=[loss])
    if record:
        tape.backward(loss)
        return amp.grad.numpy()
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
    x0 = [0.7]
    report(loss_of(x0, record=True), central_difference(loss_of, x0))
