import numpy as np
import warp as wp


@wp.func
def piola(f: wp.mat33, mu: float):
    u = wp.mat33()
    s = wp.vec3()
    v = wp.mat33()
    wp.svd3(f, u, s, v)
    r = u * wp.transpose(v)
    return (f - r) * (2.0 * mu)


@wp.kernel
def stress(f: wp.array(dtype=wp.mat33), mu: wp.array(dtype=float), p: wp.array(dtype=wp.mat33)):
    i = wp.tid()
    p[i] = piola(f[i], mu[0])


@wp.kernel
def flow(f: wp.array(dtype=wp.mat33), p: wp.array(dtype=wp.mat33), dt: float, f_out: wp.array(dtype=wp.mat33)):
    i = wp.tid()
    f_out[i] = f[i] - p[i] * dt


@wp.kernel
def strain(f: wp.array(dtype=wp.mat33), loss: wp.array(dtype=float)):
    i = wp.tid()
    e = f[i] - wp.identity(n=3, dtype=float)
    wp.atomic_add(loss, 0, wp.ddot(e, e))


class Block:
    def __init__(self, mu):
        self.mu = wp.array(mu, dtype=float, requires_grad=True)
        f0 = np.array([[[1.2, 0.1, 0.0], [0.0, 0.9, 0.2], [0.1, 0.0, 1.1]]], dtype=np.float32)
        self.f = wp.array(f0, dtype=wp.mat33, requires_grad=True)

    def relax(self, steps=3):
        f = self.f
        for _ in range(steps):
            p = wp.zeros_like(f)
            f_new = wp.zeros_like(f)
            wp.launch(stress, dim=1, inputs=[f, self.mu], outputs=[p])
            wp.launch(flow, dim=1, inputs=[f, p, 0.1], outputs=[f_new])
            f = f_new
        return f


def loss_of(mu, record=False):
    block = Block(mu)
    loss = wp.zeros(1, dtype=float, requires_grad=True)
    with wp.Tape() as tape:
        wp.launch(strain, dim=1, inputs=[block.relax()], outputs=[loss])
    if record:
        tape.backward(loss)
        return block.mu.grad.numpy()
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
    x0 = [0.8]
    report(loss_of(x0, record=True), central_difference(loss_of, x0))
