"""Curriculum for a thrower: the next target is set after the gradient of this one was taken."""

import numpy as np
import warp as wp


@wp.kernel
def throw(speed: wp.array(dtype=wp.vec2d), landing: wp.array(dtype=wp.float64)):
    i = wp.tid()
    flight = wp.float64(2.0) * speed[i][1] / wp.float64(9.81)
    landing[i] = speed[i][0] * flight


@wp.kernel
def miss(landing: wp.array(dtype=wp.float64), target: wp.array(dtype=wp.float64), loss: wp.array(dtype=wp.float64)):
    i = wp.tid()
    d = landing[i] - target[i]
    wp.atomic_add(loss, 0, d * d)


def loss_of(speed, target, landing):
    loss = wp.zeros(1, dtype=wp.float64, requires_grad=True)
    wp.launch(throw, dim=1, inputs=[speed], outputs=[landing])
    wp.launch(miss, dim=1, inputs=[landing, target], outputs=[loss])
    return loss


def main():
    x = np.array([[3.0, 4.0]])
    target = wp.array([1.0], dtype=wp.float64)
    landing = wp.zeros(1, dtype=wp.float64, requires_grad=True)

    speed = wp.array(x, dtype=wp.vec2d, requires_grad=True)
    tape = wp.Tape()
    with tape:
        loss = loss_of(speed, target, landing)
    tape.backward(loss)
    target.assign(np.array([1.5]))
    print("AD =", speed.grad.numpy().flatten().round(6).tolist())

    target.assign(np.array([1.0]))
    h, fd = 1e-6, []
    for e in h * np.eye(2):
        high = loss_of(wp.array(x + e, dtype=wp.vec2d), target, landing).numpy()[0]
        low = loss_of(wp.array(x - e, dtype=wp.vec2d), target, landing).numpy()[0]
        fd.append((high - low) / (2.0 * h))
    print("FD =", np.round(fd, 6).tolist())


if __name__ == "__main__":
    main()
