"""One module of kernels, many small programs: the first argument says which."""

import os
import signal
import sys
import threading
import time

import numpy as np
import warp as wp

wp.config.quiet = True


@wp.kernel
def square(a: wp.array(dtype=wp.float64), b: wp.array(dtype=wp.float64)):
    i = wp.tid()
    b[i] = a[i] * a[i]


@wp.kernel
def scale(a: wp.array(dtype=wp.float64), k: wp.array(dtype=wp.float64)):
    i = wp.tid()
    a[i] *= k[0]


@wp.kernel
def root(a: wp.array(dtype=wp.float64), b: wp.array(dtype=wp.float64)):
    i = wp.tid()
    b[i] = wp.sqrt(a[i])


@wp.kernel
def product(a: wp.array(dtype=wp.float64), b: wp.array(dtype=wp.float64)):
    i = wp.tid()
    p = wp.float64(1.0)
    for j in range(a.shape[0]):
        p = p * a[j]
    b[i] = p


@wp.kernel
def rounded(a: wp.array(dtype=wp.float64), b: wp.array(dtype=wp.float64)):
    i = wp.tid()
    b[i] = wp.round(a[i] * wp.float64(4.0)) + wp.float64(i)


@wp.kernel
def total(a: wp.array(dtype=wp.float64), loss: wp.array(dtype=wp.float64)):
    i = wp.tid()
    wp.atomic_add(loss, 0, a[i])


@wp.kernel
def advance(x: wp.array2d(dtype=wp.float64), t: int):
    i = wp.tid()
    x[t + 1, i] = x[t, i] * x[t, i]


def array(*values, grad=True):
    return wp.array(list(values), dtype=wp.float64, requires_grad=grad)


def zeros(n, grad=True):
    return wp.zeros(n, dtype=wp.float64, requires_grad=grad)


def chain(a, middle=None, between=None, after=None):
    """loss = sum((a**2)**2), by way of `middle`."""
    y, z, loss = middle or zeros(2), zeros(2), zeros(1)
    tape = wp.Tape()
    with tape:
        wp.launch(square, dim=2, inputs=[a], outputs=[y])
        wp.launch(square, dim=2, inputs=[y], outputs=[z])
        if between is not None:
            between(y)
        wp.launch(total, dim=2, inputs=[z], outputs=[loss])
    if after is not None:
        after(y)
    tape.backward(loss)
    return tape


def good():
    a = array(1.0, 2.0)
    chain(a)
    print("grad", a.grad.numpy())


def overwritten():
    other = array(5.0, 6.0, grad=False)
    chain(array(1.0, 2.0), between=lambda y: wp.launch(square, dim=2, inputs=[other], outputs=[y]))


def cleared():
    chain(array(1.0, 2.0), between=lambda y: y.zero_())


def twice():
    a = array(1.0, 2.0)
    y, loss = zeros(2), zeros(1)
    tape = wp.Tape()
    with tape:
        wp.launch(square, dim=2, inputs=[a], outputs=[y])
        wp.launch(total, dim=2, inputs=[y], outputs=[loss])
        wp.launch(total, dim=2, inputs=[y], outputs=[loss])  # again
    tape.backward(loss)
    print("grad", a.grad.numpy())


def rounds():
    a = array(1.2, 2.2)
    y, loss = zeros(2), zeros(1)
    tape = wp.Tape()
    with tape:
        wp.launch(rounded, dim=2, inputs=[a], outputs=[y])
        wp.launch(total, dim=2, inputs=[y], outputs=[loss])
    tape.backward(loss)


def seeds(refilled):
    """One seed for two passes: the first uses it up."""
    seed = wp.array([1.0, 2.0], dtype=wp.float64)
    for _ in range(2):
        a, y = array(1.0, 2.0), zeros(2)
        tape = wp.Tape()
        with tape:
            wp.launch(square, dim=2, inputs=[a], outputs=[y])
        y.grad = seed
        if refilled:
            seed.assign([1.0, 2.0])
        tape.backward()
        print("grad", a.grad.numpy())


def spent():
    seeds(False)


def refilled():
    seeds(True)


def late():
    chain(array(1.0, 2.0), after=lambda y: y.fill_(5.0))


def severed():
    chain(array(1.0, 2.0), middle=zeros(2, grad=False))


def in_place():
    a, k, loss = array(1.0, 2.0), array(3.0), zeros(1)
    tape = wp.Tape()
    with tape:
        wp.launch(scale, dim=2, inputs=[a, k])
        wp.launch(total, dim=2, inputs=[a], outputs=[loss])
    tape.backward(loss)


def loop():
    a, y, loss = array(1.0, 2.0), zeros(1), zeros(1)
    tape = wp.Tape()
    with tape:
        wp.launch(product, dim=1, inputs=[a], outputs=[y])
        wp.launch(total, dim=1, inputs=[y], outputs=[loss])
    tape.backward(loss)


def singular():
    a, y, loss = array(0.0, 2.0), zeros(2), zeros(1)
    tape = wp.Tape()
    with tape:
        wp.launch(root, dim=2, inputs=[a], outputs=[y])
        wp.launch(total, dim=2, inputs=[y], outputs=[loss])
    tape.backward(loss)


def kept():
    a = array(1.0, 2.0)
    for _ in range(3):
        chain(a)
        a.grad.numpy()


def clipped():
    a = array(1.0, 2.0)
    for _ in range(3):
        chain(a)
        a.grad.assign(np.clip(a.grad.numpy(), -1.0, 1.0))
        a.grad.numpy()


def regularised():
    a = array(1.0, 2.0)
    for _ in range(3):
        a.grad.assign(0.5 * a.numpy())
        print(a.grad.numpy())
        chain(a)
        a.grad.assign(np.clip(a.grad.numpy(), -1.0, 1.0))
        a.grad.numpy()
        a.grad.zero_()


def host():
    a, loss = array(1.0, 2.0), zeros(1)
    y, z = zeros(2), zeros(2)
    tape = wp.Tape()
    with tape:
        wp.launch(square, dim=2, inputs=[a], outputs=[y])
        z.assign(y.numpy() * 2.0)
        wp.launch(total, dim=2, inputs=[z], outputs=[loss])
    tape.backward(loss)


def loss_outside():
    a, y, loss = array(1.0, 2.0), zeros(2), zeros(1)
    tape = wp.Tape()
    with tape:
        wp.launch(square, dim=2, inputs=[a], outputs=[y])
    wp.launch(total, dim=2, inputs=[y], outputs=[loss])  # after the tape
    tape.backward(loss)


def loss_of_host():
    a, y = array(1.0, 2.0), zeros(2)
    tape = wp.Tape()
    with tape:
        wp.launch(square, dim=2, inputs=[a], outputs=[y])
    loss = array(float((y.numpy() ** 2).sum()))
    tape.backward(loss)


def scanned():
    a, y, z, loss = array(1.0, 2.0), zeros(2), zeros(2), zeros(1)
    tape = wp.Tape()
    with tape:
        wp.launch(square, dim=2, inputs=[a], outputs=[y])
        wp.utils.array_scan(y, z, inclusive=True)
        wp.launch(total, dim=2, inputs=[z], outputs=[loss])
    tape.backward(loss)


def seeded():
    """The seed is an array with a gradient of its own; nothing asks for that."""
    a, y, seed = array(1.0, 2.0), zeros(2), array(3.0, 4.0)
    tape = wp.Tape()
    with tape:
        wp.launch(square, dim=2, inputs=[a], outputs=[y])
    tape.backward(grads={y: seed})


def copied_in_part():
    a, k, y, loss = array(1.0, 2.0), array(3.0, 4.0), zeros(2), zeros(1)
    tape = wp.Tape()
    with tape:
        wp.launch(square, dim=2, inputs=[a], outputs=[y])
        wp.copy(y, k, dest_offset=1, src_offset=0, count=1)
        wp.launch(total, dim=2, inputs=[y], outputs=[loss])
    tape.backward(loss)


def assigned_first():
    a, y, loss = zeros(2), zeros(2), zeros(1)
    tape = wp.Tape()
    with tape:
        a.assign(np.array([1.0, 2.0]))
        wp.launch(square, dim=2, inputs=[a], outputs=[y])
        wp.launch(total, dim=2, inputs=[y], outputs=[loss])
    tape.backward(loss)


def entered_again():
    a, y, z, loss = array(1.0, 2.0), zeros(2), zeros(2), zeros(1)
    tape = wp.Tape()
    for _ in range(3):
        loss.zero_()
        with tape:  # again
            wp.launch(square, dim=2, inputs=[a], outputs=[y])
            wp.launch(square, dim=2, inputs=[y], outputs=[z])
            wp.launch(total, dim=2, inputs=[z], outputs=[loss])
        tape.backward(loss)
        a.assign(a.numpy() - 0.01 * a.grad.numpy())
        tape.zero()


def row_cleared():
    """Each launch writes a row beside the one it reads, exactly; one of them is cleared later."""
    x, loss = wp.array(np.array([[1.0, 2.0], [0.0, 0.0], [0.0, 0.0]]), dtype=wp.float64, requires_grad=True), zeros(1)
    tape = wp.Tape()
    with tape:
        for t in range(2):
            wp.launch(advance, dim=2, inputs=[x, t])
        wp.launch(total, dim=2, inputs=[x[2]], outputs=[loss])
    x[1].zero_()
    tape.backward(loss)


def crash():
    os.kill(os.getpid(), signal.SIGSEGV)


def raises():
    raise ValueError("no such thing")


def leaves():
    good()
    sys.stdout.flush()
    os._exit(7)


def hangs():
    good()
    time.sleep(1000)


def threads():
    thread = threading.Thread(target=good)
    thread.start()
    thread.join()
    good()


def exits():
    good()
    sys.exit(5)


def nothing():
    print(np.zeros(1))


if __name__ == "__main__":
    if len(sys.argv) < 2:
        print("usage: many.py NAME", file=sys.stderr)
        sys.exit(2)
    globals()[sys.argv[1]]()
