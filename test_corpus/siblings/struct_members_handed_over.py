import numpy as np
import warp as wp


from contextlib import contextmanager


@wp.struct
class Bodies:
    x: wp.array(dtype=wp.vec3)
    v: wp.array(dtype=wp.vec3)
    m: wp.array(dtype=float)


@wp.kernel
def gravity(b: Bodies, g: wp.array(dtype=float), f: wp.array(dtype=wp.vec3)):
    i = wp.tid()
    acc = wp.vec3()
    for j in range(2):
        if i != j:
            d = b.x[j] - b.x[i]
            r2 = wp.dot(d, d) + 0.1
            acc += d * (g[0] * b.m[j] / (r2 * wp.sqrt(r2)))
    f[i] = acc


@wp.kernel
def kick_drift(b: Bodies, f: wp.array(dtype=wp.vec3), dt: float, o: Bodies):
    i = wp.tid()
    v = b.v[i] + f[i] * dt
    o.v[i] = v
    o.x[i] = b.x[i] + v * dt


@wp.kernel
def target(b: Bodies, loss: wp.array(dtype=float)):
    d = b.x[0] - b.x[1]
    loss[0] = wp.dot(d, d)


class Recorder:
    def __init__(self):
        self._tape = None

    @contextmanager
    def record(self, enabled=True):
        if not enabled:
            yield self
            return
        self._tape = wp.Tape()
        with self._tape:
            yield self

    def gradient(self, loss, *arrays):
        self._tape.backward(loss)
        return [a.grad.numpy().copy() for a in arrays]


def bodies(like=None):
    b = Bodies()
    b.x = wp.zeros(2, dtype=wp.vec3, requires_grad=True)
    b.v = wp.zeros(2, dtype=wp.vec3, requires_grad=True)
    b.m = like.m if like is not None else wp.array([1.0, 2.0], dtype=float)
    return b


def loss_of(p, record=False, steps=3):
    g = wp.array(p, dtype=float, requires_grad=True)
    b = bodies()
    b.x = wp.array([[0.0, 0.0, 0.0], [1.0, 0.5, 0.0]], dtype=wp.vec3, requires_grad=True)
    b.v = wp.array([[0.0, 0.3, 0.0], [0.0, -0.2, 0.1]], dtype=wp.vec3, requires_grad=True)
    loss = wp.zeros(1, dtype=float, requires_grad=True)
    rec = Recorder()
    with rec.record(record):
        for _ in range(steps):
            f = wp.zeros(2, dtype=wp.vec3, requires_grad=True)
            o = bodies(b)
            wp.launch(gravity, dim=2, inputs=[b, g], outputs=[f])
            wp.launch(kick_drift, dim=2, inputs=[b, f, 0.2, o])
            b.x, b.v = o.x, o.v
        wp.launch(target, dim=1, inputs=[b], outputs=[loss])
    if record:
        return rec.gradient(loss, g)[0]
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
