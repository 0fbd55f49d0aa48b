"""A sensor's response curve is written in C++, with its adjoint."""

import numpy as np
import warp as wp

RESPONSE = "return v / (1.0 + v * v);"
SLOPE = "double s = 1.0 + v * v; adj_v += adj_ret * (1.0 - v * v) / (s * s);"


@wp.func_native(RESPONSE, adj_snippet=SLOPE)
def response(v: wp.float64) -> wp.float64: ...


@wp.kernel
def read_out(field: wp.array(dtype=wp.float64), signal: wp.array(dtype=wp.float64)):
    i = wp.tid()
    signal[i] = response(field[i]) + wp.float64(0.1) * field[i]


@wp.kernel
def power(signal: wp.array(dtype=wp.float64), loss: wp.array(dtype=wp.float64)):
    i = wp.tid()
    wp.atomic_add(loss, 0, signal[i] * signal[i])


def measure(values):
    field = wp.array(values, dtype=wp.float64, requires_grad=True)
    signal = wp.zeros_like(field)
    loss = wp.zeros(1, dtype=wp.float64, requires_grad=True)
    wp.launch(read_out, dim=len(values), inputs=[field], outputs=[signal])
    wp.launch(power, dim=len(values), inputs=[signal], outputs=[loss])
    return field, loss


if __name__ == "__main__":
    x, h = np.array([0.3, 0.8, 2.0]), 1e-6
    tape = wp.Tape()
    with tape:
        field, loss = measure(x)
    tape.backward(loss)
    print("AD =", field.grad.numpy().round(6).tolist())

    fd = [(measure(x + e)[1].numpy()[0] - measure(x - e)[1].numpy()[0]) / (2.0 * h) for e in h * np.eye(3)]
    print("FD =", np.round(fd, 6).tolist())
