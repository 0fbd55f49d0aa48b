"""Forces as the derivative of an energy by `wp.grad`, inside a kernel that is itself differentiated."""

import numpy as np
import warp as wp


@wp.func
def bond_energy(r: wp.float64):
    return wp.float64(0.25) * (r * r - wp.float64(1.0)) * (r * r - wp.float64(1.0))


@wp.kernel
def relax(r: wp.array(dtype=wp.float64), step: wp.float64, relaxed: wp.array(dtype=wp.float64)):
    b = wp.tid()
    relaxed[b] = r[b] - step * wp.grad(bond_energy)(r[b])  # ADJ205


@wp.kernel
def stretch(relaxed: wp.array(dtype=wp.float64), loss: wp.array(dtype=wp.float64)):
    b = wp.tid()
    wp.atomic_add(loss, 0, relaxed[b] * relaxed[b])


def loss_of(lengths):
    r = wp.array(lengths, dtype=wp.float64, requires_grad=True)
    relaxed = wp.zeros_like(r)
    loss = wp.zeros(1, dtype=wp.float64, requires_grad=True)
    wp.launch(relax, dim=len(lengths), inputs=[r, 0.1], outputs=[relaxed])
    wp.launch(stretch, dim=len(lengths), inputs=[relaxed], outputs=[loss])
    return r, loss


def main():
    x, h = np.array([0.6, 1.0, 1.7]), 1e-6
    tape = wp.Tape()
    with tape:
        r, loss = loss_of(x)
    tape.backward(loss)
    print("AD =", r.grad.numpy().round(6).tolist())

    def value(lengths):
        return loss_of(lengths)[1].numpy()[0]

    print("FD =", np.round([(value(x + e) - value(x - e)) / (2.0 * h) for e in h * np.eye(3)], 6).tolist())


if __name__ == "__main__":
    main()
