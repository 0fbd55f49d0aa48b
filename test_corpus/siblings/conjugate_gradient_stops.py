import numpy as np
import warp as wp


@wp.kernel
def matvec(d: wp.array(dtype=float), off: wp.array(dtype=float), x: wp.array(dtype=float), y: wp.array(dtype=float)):
    i = wp.tid()
    n = x.shape[0]
    s = d[i] * x[i]
    if i > 0:
        s += off[0] * x[i - 1]
    if i < n - 1:
        s += off[0] * x[i + 1]
    y[i] = s


@wp.kernel
def dot(a: wp.array(dtype=float), b: wp.array(dtype=float), out: wp.array(dtype=float)):
    i = wp.tid()
    wp.atomic_add(out, 0, a[i] * b[i])


@wp.kernel
def update(x: wp.array(dtype=float), r: wp.array(dtype=float), p: wp.array(dtype=float), ap: wp.array(dtype=float), rr: wp.array(dtype=float), pap: wp.array(dtype=float), x_out: wp.array(dtype=float), r_out: wp.array(dtype=float)):
    i = wp.tid()
    a = rr[0] / pap[0]
    x_out[i] = x[i] + a * p[i]
    r_out[i] = r[i] - a * ap[i]


@wp.kernel
def direction(r: wp.array(dtype=float), p: wp.array(dtype=float), rr_new: wp.array(dtype=float), rr: wp.array(dtype=float), p_out: wp.array(dtype=float)):
    i = wp.tid()
    p_out[i] = r[i] + rr_new[0] / rr[0] * p[i]


def vector(n=3):
    return wp.zeros(n, dtype=float, requires_grad=True)


class CG:
    def __init__(self, d, off, iters=2):
        self.d, self.off, self.iters = d, off, iters

    def norm2(self, r):
        rr = vector(1)
        wp.launch(dot, dim=3, inputs=[r, r], outputs=[rr])
        return rr

    def solve(self, b):
        x, r, p = vector(), b, b
        rr = self.norm2(r)
        for _ in range(self.iters):
            ap, pap = vector(), vector(1)
            wp.launch(matvec, dim=3, inputs=[self.d, self.off, p], outputs=[ap])
            wp.launch(dot, dim=3, inputs=[p, ap], outputs=[pap])
            xn, rn, pn = vector(), vector(), vector()
            wp.launch(update, dim=3, inputs=[x, r, p, ap, rr, pap], outputs=[xn, rn])
            rr_new = self.norm2(rn)
            wp.launch(direction, dim=3, inputs=[rn, p, rr_new, rr], outputs=[pn])
            if rr_new.numpy()[0] < 1.0e-12:
                return xn
            x, r, p, rr = xn, rn, pn, rr_new
        return x


def loss_of(b, record=False):
    rhs = wp.array(b, dtype=float, requires_grad=True)
    solver = CG(wp.array([3.0, 2.5, 4.0], dtype=float), wp.array([-0.7], dtype=float))
    loss = vector(1)
    tape = wp.Tape()
    with tape:
        x = solver.solve(rhs)
        wp.launch(dot, dim=3, inputs=[x, x], outputs=[loss])
    if record:
        tape.backward(loss)
        return rhs.grad.numpy()
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
    x0 = [1.0, 0.5, -0.4]
    report(loss_of(x0, record=True), central_difference(loss_of, x0))
