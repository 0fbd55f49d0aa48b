"""A motor saturates: the commanded torque is squashed in place before it drives the joint."""

import numpy as np
import warp as wp


@wp.kernel
def pd_control(q: wp.array[wp.float64], gain: wp.array[wp.float64], torque: wp.array[wp.float64]):
    j = wp.tid()
    torque[j] = gain[j] * (wp.float64(1.0) - q[j])


@wp.kernel
def saturate(limit: wp.float64, torque: wp.array[wp.float64]):
    j = wp.tid()
    torque[j] = limit * wp.tanh(torque[j] / limit)  # ADJ102


@wp.kernel
def tracking_error(q: wp.array[wp.float64], torque: wp.array[wp.float64], loss: wp.array[wp.float64]):
    j = wp.tid()
    miss = wp.float64(1.0) - (q[j] + wp.float64(0.1) * torque[j])
    wp.atomic_add(loss, 0, miss * miss)


def rollout(gain):
    n = gain.shape[0]
    q = wp.array(np.linspace(-0.5, 0.5, n), dtype=wp.float64)
    torque = wp.zeros(n, dtype=wp.float64, requires_grad=True)
    loss = wp.zeros(1, dtype=wp.float64, requires_grad=True)
    wp.launch(pd_control, dim=n, inputs=[q, gain, torque])
    wp.launch(saturate, dim=n, inputs=[2.0, torque])
    wp.launch(tracking_error, dim=n, inputs=[q, torque, loss])
    return loss


def loss_value(gain):
    return rollout(wp.array(gain, dtype=wp.float64)).numpy()[0]


if __name__ == "__main__":
    gain = wp.array([1.0, 2.0, 4.0], dtype=wp.float64, requires_grad=True)
    with wp.Tape() as tape:
        loss = rollout(gain)
    tape.backward(loss)
    print("AD =", gain.grad.numpy().round(6).tolist())

    g, h = gain.numpy(), 1e-6
    print("FD =", np.round([(loss_value(g + s) - loss_value(g - s)) / (2.0 * h) for s in np.eye(3) * h], 6).tolist())
