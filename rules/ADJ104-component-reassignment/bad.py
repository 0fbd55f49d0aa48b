"""A rover's velocity follows a commanded climb rate: the vertical component is replaced in a local vector."""

import numpy as np
import warp as wp


@wp.kernel
def drive(
    velocity: wp.array(dtype=wp.vec3d),
    climb: wp.array(dtype=wp.float64),
    dt: wp.float64,
    position: wp.array(dtype=wp.vec3d),
):
    i = wp.tid()
    v = velocity[i]
    v[2] = climb[i]  # ADJ104
    position[i] = v * dt


@wp.kernel
def distance_to_goal(position: wp.array(dtype=wp.vec3d), goal: wp.vec3d, loss: wp.array(dtype=wp.float64)):
    i = wp.tid()
    wp.atomic_add(loss, 0, wp.length_sq(position[i] - goal))


def forward(velocity, climb):
    n = velocity.shape[0]
    position = wp.zeros(n, dtype=wp.vec3d, requires_grad=True)
    loss = wp.zeros(1, dtype=wp.float64, requires_grad=True)
    wp.launch(drive, dim=n, inputs=[velocity, climb, 0.5], outputs=[position])
    wp.launch(distance_to_goal, dim=n, inputs=[position, wp.vec3d(1.0, 0.0, 2.0)], outputs=[loss])
    return loss


def main():
    v = np.array([[0.2, -0.1, 0.7], [1.0, 0.3, -0.4]])
    climb = wp.array([0.5, 0.25], dtype=wp.float64, requires_grad=True)

    velocity = wp.array(v, dtype=wp.vec3d, requires_grad=True)
    tape = wp.Tape()
    with tape:
        loss = forward(velocity, climb)
    tape.backward(loss)
    print("AD =", velocity.grad.numpy().round(6).flatten().tolist())

    h, fd = 1e-6, []
    for index in np.ndindex(v.shape):
        high, low = v.copy(), v.copy()
        high[index] += h
        low[index] -= h
        rise = forward(wp.array(high, dtype=wp.vec3d), climb).numpy() - forward(wp.array(low, dtype=wp.vec3d), climb).numpy()
        fd.append(rise[0] / (2.0 * h))
    print("FD =", np.round(fd, 6).tolist())


if __name__ == "__main__":
    main()
