import numpy as np
import warp as wp


from dataclasses import dataclass


@dataclass
class Slot:
    kind: str
    array: wp.array


@wp.kernel
def grow(x: wp.array(dtype=float), r: wp.array(dtype=float), y: wp.array(dtype=float)):
    i = wp.tid()
    y[i] = x[i] * wp.exp(r[0])


@wp.kernel
def cap(x: wp.array(dtype=float), y: wp.array(dtype=float)):
    i = wp.tid()
    y[i] = x[i] / (1.0 + x[i])


@wp.kernel
def squares(x: wp.array(dtype=float), s: wp.array(dtype=float)):
    i = wp.tid()
    wp.atomic_add(s, 0, x[i] * x[i])


def apply(slot, op, r):
    out = wp.empty_like(slot.array)
    match op:
        case "grow":
            wp.launch(grow, dim=2, inputs=[slot.array, r], outputs=[out])
        case "cap" | "limit":
            wp.launch(cap, dim=2, inputs=[slot.array], outputs=[out])
        case ("repeat", int(n)) if n > 0:
            for _ in range(n):
                slot = apply(slot, "grow", r)
            return slot
        case _:
            raise ValueError(op)
    return Slot(op if isinstance(op, str) else op[0], out)


PROGRAM = ["grow", "cap", ("repeat", 2), "limit"]


def loss_of(rate, record=False):
    r = wp.array(rate, dtype=float, requires_grad=True)
    s = wp.zeros(1, dtype=float, requires_grad=True)
    slot = Slot("start", wp.array([0.3, 1.2], dtype=float, requires_grad=True))
    tape = wp.Tape()
    with tape:
        for op in PROGRAM:
            slot = apply(slot, op, r)
        wp.launch(squares, dim=2, inputs=[slot.array], outputs=[s])
    if record:
        tape.backward(s)
        return r.grad.numpy()
    return float(s.numpy()[0])


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
    x0 = [0.2]
    report(loss_of(x0, record=True), central_difference(loss_of, x0))
