"""Gain of the wheels, their biases, and weights of the pointing error."""

import numpy as np
import warp
from attitude import pointing_error, spin

warp.config.quiet = True
F64 = {"dtype": warp.float64}


def orbit(gain, bias, weights, steps=4):
    q = warp.array([[0.1, 0.2, 0.0, 0.97], [0.0, -0.3, 0.1, 0.95]], dtype=warp.quatd, requires_grad=True)
    omega = warp.array([[0.5, -0.2, 0.3], [-0.4, 0.6, 0.1]], dtype=warp.vec3d, requires_grad=True)
    moment = warp.vec3d(0.2, 0.0, 1.0)
    for _ in range(steps):
        q_next, omega_next = warp.zeros_like(q), warp.zeros_like(omega)
        warp.launch(spin, 2, inputs=(q, omega, gain, bias, moment, 0.2), outputs=(q_next, omega_next))
        q, omega = q_next, omega_next
    loss = warp.zeros(1, requires_grad=True, **F64)
    warp.launch(pointing_error, 2, inputs=(q, warp.vec3d(0.6, 0.8, 0.0), weights, 4), outputs=(loss,))
    return loss


def evaluate(p):
    gain, bias, weights = p[:1], p[1:7].reshape(2, 3), p[7:]
    return orbit(warp.array(gain, **F64), warp.array(bias, dtype=warp.vec3d), warp.array(weights, **F64)).numpy()[0]


if __name__ == "__main__":
    p = np.array([1.5, 0.1, -0.1, 0.0, 0.05, 0.2, -0.05, 0.8, 1.2])
    gain = warp.array(p[:1], requires_grad=True, **F64)
    bias = warp.array(p[1:7].reshape(2, 3), dtype=warp.vec3d, requires_grad=True)
    weights = warp.array(p[7:], requires_grad=True, **F64)

    with warp.Tape() as tape:
        loss = orbit(gain, bias, weights)
    tape.backward(loss)

    h = 1e-6
    fd = np.array([(evaluate(p + h * e) - evaluate(p - h * e)) / (2.0 * h) for e in np.eye(len(p))])
    print("AD gain =", gain.grad.numpy().round(8).tolist())
    print("FD gain =", fd[:1].round(8).tolist())
    print("AD bias =", bias.grad.numpy().flatten().round(8).tolist())
    print("FD bias =", fd[1:7].round(8).tolist())
    print("AD weights =", weights.grad.numpy().round(8).tolist())
    print("FD weights =", fd[7:].round(8).tolist())
