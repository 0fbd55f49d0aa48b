"""One packed array holds position, velocity and battery of all drones; slices of it are handed to kernels."""

import warp as wp

F = wp.array(dtype=wp.float64)


@wp.kernel
def thrust(command: F, battery: F, force: F):
    i = wp.tid()
    force[i] = command[i] * wp.tanh(battery[i])


@wp.kernel
def drain(battery: F, command: F, rate: F, left: F):
    i = wp.tid()
    left[i] = battery[i] - rate[0] * command[i] * command[i]


@wp.kernel
def accelerate(v: F, force: F, dt: wp.float64, v_next: F):
    i = wp.tid()
    v_next[i] = v[i] + dt * (force[i] - wp.float64(0.2) * v[i] * wp.abs(v[i]))


@wp.kernel
def move(x: F, v: F, dt: wp.float64, x_next: F):
    i = wp.tid()
    x_next[i] = x[i] + dt * v[i]


@wp.kernel
def distance(x: F, goal: F, loss: F):
    i = wp.tid()
    d = x[i] - goal[i]
    wp.atomic_add(loss, 0, d * d)


@wp.kernel
def reset(value: wp.float64, array: F):
    array[wp.tid()] = value
