import numpy as np
import warp as wp


DX = 0.5


@wp.func
def weight(d: float):
    return wp.max(0.0, 1.0 - wp.abs(d) / DX)


@wp.kernel
def p2g(x: wp.array(dtype=float), v: wp.array(dtype=float), m: wp.array(dtype=float), gm: wp.array(dtype=float), gv: wp.array(dtype=float)):
    p = wp.tid()
    base = int(wp.floor(x[p] / DX))
    for o in range(2):
        k = base + o
        w = weight(x[p] - float(k) * DX)
        wp.atomic_add(gm, k, w * m[0])
        wp.atomic_add(gv, k, w * m[0] * v[p])


@wp.kernel
def grid_op(gm: wp.array(dtype=float), gv: wp.array(dtype=float), dt: float, gv_out: wp.array(dtype=float)):
    k = wp.tid()
    if gm[k] > 1.0e-6:
        u = gv[k] / gm[k]
        gv_out[k] = u - dt * 0.5


@wp.kernel
def g2p(x: wp.array(dtype=float), gv: wp.array(dtype=float), dt: float, x_out: wp.array(dtype=float), v_out: wp.array(dtype=float)):
    p = wp.tid()
    base = int(wp.floor(x[p] / DX))
    u = float(0.0)
    for o in range(2):
        k = base + o
        u += weight(x[p] - float(k) * DX) * gv[k]
    v_out[p] = u
    x_out[p] = x[p] + dt * u


@wp.kernel
def center(x: wp.array(dtype=float), loss: wp.array(dtype=float)):
    p = wp.tid()
    wp.atomic_add(loss, 0, x[p] * x[p])


class Grid:
    def __init__(self, n):
        self.n = n
        self.m = wp.zeros(n, dtype=float, requires_grad=True)
        self.v = wp.zeros(n, dtype=float, requires_grad=True)
        self.v_out = wp.zeros(n, dtype=float, requires_grad=True)

    def clear(self):
        self.m.zero_()
        self.v.zero_()
        self.v_out.zero_()


class Mpm:
    def __init__(self, v0, steps=3):
        self.steps = steps
        self.grids = [Grid(8) for _ in range(steps)]
        self.m = wp.array([1.0], dtype=float, requires_grad=True)
        self.x = [wp.zeros(3, dtype=float, requires_grad=True) for _ in range(steps + 1)]
        self.v = [wp.zeros(3, dtype=float, requires_grad=True) for _ in range(steps + 1)]
        self.x[0] = wp.array([0.6, 0.8, 1.3], dtype=float, requires_grad=True)
        self.v[0] = wp.array(v0, dtype=float, requires_grad=True)

    def substep(self, t, dt=0.1):
        grid = self.grids[t]
        wp.launch(p2g, dim=3, inputs=[self.x[t], self.v[t], self.m], outputs=[grid.m, grid.v])
        wp.launch(grid_op, dim=grid.n, inputs=[grid.m, grid.v, dt], outputs=[grid.v_out])
        wp.launch(g2p, dim=3, inputs=[self.x[t], grid.v_out, dt], outputs=[self.x[t + 1], self.v[t + 1]])

    def forward(self, loss):
        for t in range(self.steps):
            self.substep(t)
        wp.launch(center, dim=3, inputs=[self.x[self.steps]], outputs=[loss])


def loss_of(v0, record=False):
    sim = Mpm(v0)
    loss = wp.zeros(1, dtype=float, requires_grad=True)
    if not record:
        sim.forward(loss)
        return float(loss.numpy()[0])
    tape = wp.Tape()
    with tape:
        sim.forward(loss)
    tape.backward(loss=loss)
    return sim.v[0].grad.numpy()


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
    x0 = [0.3, -0.2, 0.5]
    report(loss_of(x0, record=True), central_difference(loss_of, x0))
