"""Friction with a hand-written gradient that forgets one of its two inputs."""

import numpy as np
import warp as wp


@wp.func
def smooth_friction(slip: wp.float64, load: wp.float64):
    return load * wp.tanh(wp.float64(5.0) * slip)


@wp.func_grad(smooth_friction)
def adj_smooth_friction(slip: wp.float64, load: wp.float64, adj_ret: wp.float64):  # ADJ202
    t = wp.tanh(wp.float64(5.0) * slip)
    wp.adjoint[slip] += adj_ret * load * wp.float64(5.0) * (wp.float64(1.0) - t * t)


@wp.kernel
def brake(slip: wp.array[wp.float64], load: wp.array[wp.float64], force: wp.array[wp.float64]):
    wheel = wp.tid()
    force[wheel] = smooth_friction(slip[wheel], load[wheel])


@wp.kernel
def stopping_effort(force: wp.array[wp.float64], loss: wp.array[wp.float64]):
    wheel = wp.tid()
    wp.atomic_add(loss, 0, force[wheel] * force[wheel])


def loss_of(slip, load):
    force = wp.zeros(2, dtype=wp.float64, requires_grad=True)
    loss = wp.zeros(1, dtype=wp.float64, requires_grad=True)
    wp.launch(brake, dim=2, inputs=[slip, load, force])
    wp.launch(stopping_effort, dim=2, inputs=[force, loss])
    return loss


def leaf(values):
    return wp.array(values, dtype=wp.float64, requires_grad=True)


if __name__ == "__main__":
    x = np.array([0.1, 0.3, 2.0, 1.5])  # two slips, two loads
    slip, load = leaf(x[:2]), leaf(x[2:])
    with wp.Tape() as tape:
        loss = loss_of(slip, load)
    tape.backward(loss)
    print("AD =", np.concatenate([slip.grad.numpy(), load.grad.numpy()]).round(6).tolist())

    h, fd = 1e-6, []
    for e in h * np.eye(4):
        high, low = x + e, x - e
        rise = loss_of(leaf(high[:2]), leaf(high[2:])).numpy() - loss_of(leaf(low[:2]), leaf(low[2:])).numpy()
        fd.append(rise[0] / (2.0 * h))
    print("FD =", np.round(fd, 6).tolist())
