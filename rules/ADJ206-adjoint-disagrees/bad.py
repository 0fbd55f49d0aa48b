"""A muscle's force-length curve with a hand-written gradient in which a factor was lost."""

import numpy as np
import warp as wp


@wp.func
def muscle(length: wp.float64, activation: wp.float64):
    d = length - wp.float64(1.0)
    return activation * wp.exp(-wp.float64(4.0) * d * d)


@wp.func_grad(muscle)
def adj_muscle(length: wp.float64, activation: wp.float64, adj_ret: wp.float64):  # ADJ206
    d = length - wp.float64(1.0)
    bell = wp.exp(-wp.float64(4.0) * d * d)
    wp.adjoint[length] += -wp.float64(4.0) * d * activation * bell * adj_ret
    wp.adjoint[activation] += bell * adj_ret


@wp.kernel
def pull(length: wp.array[wp.float64], activation: wp.array[wp.float64], torque: wp.array[wp.float64]):
    m = wp.tid()
    wp.atomic_add(torque, 0, muscle(length[m], activation[m]) * wp.float64(0.3))


def torque_of(lengths):
    length = wp.array(lengths, dtype=wp.float64, requires_grad=True)
    activation = wp.array([0.2, 0.7, 1.0], dtype=wp.float64)
    torque = wp.zeros(1, dtype=wp.float64, requires_grad=True)
    wp.launch(pull, dim=3, inputs=[length, activation, torque])
    return length, torque


if __name__ == "__main__":
    x, h = np.array([0.8, 1.1, 1.3]), 1e-6
    with wp.Tape() as tape:
        length, torque = torque_of(x)
    tape.backward(torque)
    print("AD =", length.grad.numpy().round(6).tolist())

    fd = [(torque_of(x + e)[1].numpy()[0] - torque_of(x - e)[1].numpy()[0]) / (2.0 * h) for e in h * np.eye(3)]
    print("FD =", np.round(fd, 6).tolist())
