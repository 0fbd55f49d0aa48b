"""Fit three splats to a gradient image with Adam; the last iteration's gradient is checked."""

import numpy as np
import warp as wp
from model import Picture
from warp.optim import Adam

wp.config.quiet = True

START = {
    "centre": np.array([[-0.4, -0.3, 0.1], [0.3, 0.1, 0.0], [0.1, 0.5, -0.2]]),
    "log_size": np.array([-0.5, -0.7, -0.4]),
    "colour": np.array([[0.2, 0.4, 0.9], [0.8, 0.5, 0.2], [0.4, 0.9, 0.5]]),
}


def fit(iterations=3):
    picture = Picture(**START)
    target = picture.target()
    optimizer = Adam(list(picture.parameters.values()), lr=0.02)
    loss = wp.zeros(1, dtype=float, requires_grad=True)
    for _ in range(iterations):
        tape = wp.Tape()
        with tape:
            picture.loss(target, loss)
        tape.backward(loss)
        at = {name: p.numpy().copy() for name, p in picture.parameters.items()}
        gradient = {name: p.grad.numpy().copy() for name, p in picture.parameters.items()}
        optimizer.step([p.grad for p in picture.parameters.values()])
    return at, gradient, loss


def loss_at(parameters):
    picture = Picture(**parameters)
    loss = wp.zeros(1, dtype=float)
    picture.loss(picture.target(), loss)
    return loss.numpy()[0]


def main():
    at, gradient, loss = fit()
    print("loss =", round(float(loss.numpy()[0]), 6), "and afresh", round(float(loss_at(at)), 6))
    for name, values in at.items():
        fd = np.zeros(values.shape)
        for k in np.ndindex(values.shape):
            for h in (1e-2, -1e-2):
                moved = {n: v.copy() for n, v in at.items()}
                moved[name][k] += h
                fd[k] += loss_at(moved) / (2.0 * h)
        print(f"AD {name} =", gradient[name].flatten().round(5).tolist())
        print(f"FD {name} =", fd.flatten().round(5).tolist())


if __name__ == "__main__":
    main()
