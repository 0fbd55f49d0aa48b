import numpy as np
import warp as wp


@wp.struct
class Body:
    q: wp.array(dtype=wp.quat)
    w: wp.array(dtype=wp.vec3)


@wp.kernel
def torque(b: Body, k: wp.array(dtype=float), tau: wp.array(dtype=wp.vec3)):
    i = wp.tid()
    up = wp.quat_rotate(b.q[i], wp.vec3(0.0, 0.0, 1.0))
    tau[i] = wp.cross(up, wp.vec3(0.0, 0.0, 1.0)) * k[0] - 0.1 * b.w[i]


@wp.kernel
def rotate(b: Body, tau: wp.array(dtype=wp.vec3), dt: float, o: Body):
    i = wp.tid()
    w = b.w[i] + tau[i] * dt
    dq = wp.quat(w[0], w[1], w[2], 0.0) * b.q[i]
    q = wp.normalize(b.q[i] + dq * (0.5 * dt))
    o.w[i] = w
    o.q[i] = q


@wp.kernel
def tilt(b: Body, loss: wp.array(dtype=float)):
    i = wp.tid()
    up = wp.quat_rotate(b.q[i], wp.vec3(0.0, 0.0, 1.0))
    wp.atomic_add(loss, 0, up[0] * up[0] + 2.0 * up[1] + wp.length_sq(b.w[i]))


def make(n, q=None, w=None):
    b = Body()
    b.q = q if q is not None else wp.zeros(n, dtype=wp.quat, requires_grad=True)
    b.w = w if w is not None else wp.zeros(n, dtype=wp.vec3, requires_grad=True)
    return b


class Sim:
    def __init__(self, k):
        self.k = wp.array(k, dtype=float, requires_grad=True)
        q = wp.array([[0.3, 0.1, 0.0, 0.9]], dtype=wp.quat, requires_grad=True)
        w = wp.array([[0.2, -0.4, 0.1]], dtype=wp.vec3, requires_grad=True)
        self.bodies = [make(1, q, w)] + [make(1) for _ in range(4)]

    def run(self, loss):
        for a, b in zip(self.bodies[:-1], self.bodies[1:]):
            tau = wp.zeros(1, dtype=wp.vec3, requires_grad=True)
            wp.launch(torque, dim=1, inputs=[a, self.k], outputs=[tau])
            wp.launch(rotate, dim=1, inputs=[a, tau, 0.2], outputs=[b])
        wp.launch(tilt, dim=1, inputs=[self.bodies[-1]], outputs=[loss])


def loss_of(k, record=False):
    sim = Sim(k)
    loss = wp.zeros(1, dtype=float, requires_grad=True)
    tape = wp.Tape() if record else None
    if tape is not None:
        with tape:
            sim.run(loss)
        tape.backward(loss)
        return sim.k.grad.numpy()
    sim.run(loss)
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
    x0 = [1.5]
    report(loss_of(x0, record=True), central_difference(loss_of, x0))
