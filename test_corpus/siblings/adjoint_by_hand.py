import numpy as np
import warp as wp


@wp.kernel
def encode(x: wp.array(dtype=float), z: wp.array(dtype=float)):
    i = wp.tid()
    z[i] = wp.sin(x[i])


@wp.kernel
def add_scaled(g: wp.array(dtype=float), z: wp.array(dtype=float), out: wp.array(dtype=float)):
    i = wp.tid()
    out[i] = out[i] + 3.0 * z[i] * z[i] * g[i]


@wp.kernel
def readout(y: wp.array(dtype=float), loss: wp.array(dtype=float)):
    i = wp.tid()
    wp.atomic_add(loss, 0, y[i] * float(i + 1))


class Cube:
    """y = z**3 by NumPy, with its adjoint on the tape."""

    def __call__(self, tape, z):
        y = wp.array(z.numpy() ** 3, dtype=float, requires_grad=True)
        if tape is not None:
            tape.record_func(lambda: wp.launch(add_scaled, dim=3, inputs=[y.grad, z], outputs=[z.grad]), [y, z])
        return y


def run(x, tape=None):
    z = wp.zeros_like(x)
    wp.launch(encode, dim=3, inputs=[x], outputs=[z])
    y = Cube()(tape, z)
    loss = wp.zeros(1, dtype=float, requires_grad=True)
    wp.launch(readout, dim=3, inputs=[y], outputs=[loss])
    return loss


def loss_of(v, record=False):
    x = wp.array(v, dtype=float, requires_grad=True)
    if not record:
        return float(run(x).numpy()[0])
    tape = wp.Tape()
    with tape:
        loss = run(x, tape)
    tape.backward(loss)
    return x.grad.numpy()


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
    x0 = [0.4, 0.9, -0.6]
    report(loss_of(x0, record=True), central_difference(loss_of, x0))
