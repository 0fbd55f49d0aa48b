import numpy as np
import warp as wp


@wp.kernel
def arm(q: wp.array[float], l: wp.array[float], tip: wp.array[float]):
    a = q[0]
    b = q[0] + q[1]
    tip[0] = l[0] * wp.cos(a) + l[1] * wp.cos(b)
    tip[1] = l[0] * wp.sin(a) + l[1] * wp.sin(b)


class Arm:
    def __init__(self, q):
        self.q = wp.array(q, dtype=float, requires_grad=True)
        self.l = wp.array([1.0, 0.7], dtype=float)
        self.tip = wp.zeros(2, dtype=float, requires_grad=True)

    def forward(self):
        wp.launch(arm, dim=1, inputs=[self.q, self.l], outputs=[self.tip])

    def jacobian(self):
        rows = np.zeros((2, 2))
        for k, seed in enumerate(np.eye(2, dtype=np.float32)):
            tape = wp.Tape()
            with tape:
                self.forward()
            tape.backward(grads={self.tip: wp.array(seed, dtype=float)})
            rows[k] = self.q.grad.numpy()
        return rows


def tip_of(q):
    model = Arm(q)
    model.forward()
    return model.tip.numpy()


def reference(q, h=1.0e-2):
    cols = [(tip_of(q + h * e) - tip_of(q - h * e)) / (2.0 * h) for e in np.eye(2)]
    return np.stack(cols, axis=1)


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
    q0 = np.array([0.4, 0.9])
    report(np.asarray(Arm(q0).jacobian()).ravel(), reference(q0).ravel())
