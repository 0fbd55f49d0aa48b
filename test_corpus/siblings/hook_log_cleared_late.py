import numpy as np
import warp as wp


from collections import defaultdict


@wp.kernel
def forward_step(u: wp.array(dtype=float), c: wp.array(dtype=float), out: wp.array(dtype=float)):
    i = wp.tid()
    n = u.shape[0]
    out[i] = u[i] - c[i] * (u[i] - u[(i + n - 1) % n])


@wp.kernel
def probe(u: wp.array(dtype=float), w: float, acc: wp.array(dtype=float)):
    i = wp.tid()
    wp.atomic_add(acc, 0, w * u[i] * u[i])


class Simulation:
    def __init__(self, n):
        self.n = n
        self.hooks = defaultdict(list)
        self.u = None

    def on(self, name):
        def register(fn):
            self.hooks[name].append(fn)
            return fn

        return register

    def fire(self, name, *args):
        for fn in self.hooks[name]:
            fn(self, *args)

    def run(self, u0, c, steps):
        self.u = u0
        for t in range(steps):
            self.fire("before", t)
            nxt = wp.zeros(self.n, dtype=float, requires_grad=True)
            wp.launch(forward_step, dim=self.n, inputs=[self.u, c], outputs=[nxt])
            self.u = nxt
            self.fire("after", t)
        return self.u


def loss_of(c, record=False):
    sim = Simulation(3)
    acc = wp.zeros(1, dtype=float, requires_grad=True)
    cs = wp.array(c, dtype=float, requires_grad=True)
    log = []

    @sim.on("after")
    def measure(s, t):
        wp.launch(probe, dim=s.n, inputs=[s.u, 1.0 / (t + 1)], outputs=[acc])

    @sim.on("before")
    def note(s, t):
        log.append((t, s.u))

    u0 = wp.array([0.2, 1.0, -0.4], dtype=float, requires_grad=True)
    with wp.Tape() as tape:
        sim.run(u0, cs, 3)
    if record:
        tape.backward(acc)
        g = cs.grad.numpy()
        for _, u in log:
            u.zero_()
        return g
    return float(acc.numpy()[0])


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
    x0 = [0.3, 0.5, 0.2]
    report(loss_of(x0, record=True), central_difference(loss_of, x0))
