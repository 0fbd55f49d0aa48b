import numpy as np
import warp as wp


@wp.kernel
def chain(theta: wp.array(dtype=float), tip: wp.array(dtype=wp.vec2)):
    a = float(0.0)
    p = wp.vec2(0.0, 0.0)
    for j in range(3):
        a += theta[j]
        p += wp.vec2(wp.cos(a), wp.sin(a))
    tip[0] = p


@wp.kernel
def reach(tip: wp.array(dtype=wp.vec2), goal: wp.vec2, theta: wp.array(dtype=float), loss: wp.array(dtype=float)):
    d = tip[0] - goal
    loss[0] = wp.dot(d, d) + 0.01 * theta[1] * theta[1]


class Problem:
    def __init__(self, goal):
        self.goal = wp.vec2(*goal)
        self.tip = wp.zeros(1, dtype=wp.vec2, requires_grad=True)
        self.loss = wp.zeros(1, dtype=float, requires_grad=True)

    def value(self, theta):
        tip = wp.zeros(1, dtype=wp.vec2)
        loss = wp.zeros(1, dtype=float)
        self.record(theta, tip, loss)
        return float(loss.numpy()[0])

    def record(self, theta, tip, loss):
        wp.launch(chain, dim=1, inputs=[theta], outputs=[tip])
        wp.launch(reach, dim=1, inputs=[tip, self.goal, theta], outputs=[loss])

    def gradient(self, theta):
        tape = wp.Tape()
        with tape:
            self.record(theta, self.tip, self.loss)
        before = self.value(theta)
        tape.backward(self.loss)
        g = theta.grad.numpy().copy()
        tape.zero()
        return before, g

    def descend(self, theta, steps=2):
        for _ in range(steps):
            f, g = self.gradient(theta)
            h = 0.5
            x = theta.numpy()
            while h > 1.0e-3:
                trial = wp.array(x - h * g, dtype=float)
                if self.value(trial) < f:
                    break
                h *= 0.5
            theta = wp.array(x - h * g, dtype=float, requires_grad=True)
        return theta


def loss_of(th, record=False):
    problem = Problem((1.0, 1.5))
    theta = wp.array(th, dtype=float, requires_grad=True)
    if record:
        g = problem.gradient(theta)[1]
        problem.descend(theta)
        return g
    return problem.value(theta)


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
    x0 = [0.3, 0.4, -0.2]
    report(loss_of(x0, record=True), central_difference(loss_of, x0))
