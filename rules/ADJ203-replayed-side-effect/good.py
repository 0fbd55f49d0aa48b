"""Contacts are compacted into a list: one kernel hands out the slots, the next one uses them."""

import numpy as np
import warp as wp


@wp.kernel(enable_backward=False)
def assign_slots(height: wp.array(dtype=wp.float64), count: wp.array(dtype=int), slot: wp.array(dtype=int)):
    p = wp.tid()
    slot[p] = -1
    if height[p] < wp.float64(0.0):
        slot[p] = wp.atomic_add(count, 0, 1)


@wp.kernel
def collect_contacts(
    height: wp.array(dtype=wp.float64),
    stiffness: wp.array(dtype=wp.float64),
    slot: wp.array(dtype=int),
    penalty: wp.array(dtype=wp.float64),
):
    p = wp.tid()
    if slot[p] >= 0:
        penalty[slot[p]] = stiffness[p] * height[p] * height[p]


@wp.kernel
def weigh(penalty: wp.array(dtype=wp.float64), loss: wp.array(dtype=wp.float64)):
    c = wp.tid()
    wp.atomic_add(loss, 0, penalty[c] * wp.float64(c + 1))


def total_penalty(height, stiffness):
    n = stiffness.shape[0]
    count = wp.zeros(1, dtype=int)
    slot = wp.zeros(n, dtype=int)
    penalty = wp.zeros(n, dtype=wp.float64, requires_grad=True)
    loss = wp.zeros(1, dtype=wp.float64, requires_grad=True)
    wp.launch(assign_slots, dim=n, inputs=[height], outputs=[count, slot])
    wp.launch(collect_contacts, dim=n, inputs=[height, stiffness, slot], outputs=[penalty])
    wp.launch(weigh, dim=n, inputs=[penalty], outputs=[loss])
    return loss


def main():
    height = wp.array([-0.5, 0.2, -1.0, -0.1], dtype=wp.float64)
    k, h = np.array([2.0, 2.0, 3.0, 4.0]), 1e-6

    stiffness = wp.array(k, dtype=wp.float64, requires_grad=True)
    tape = wp.Tape()
    with tape:
        loss = total_penalty(height, stiffness)
    tape.backward(loss)
    print("AD =", stiffness.grad.numpy().round(6).tolist())

    fd = []
    for e in h * np.eye(4):
        high = total_penalty(height, wp.array(k + e, dtype=wp.float64))
        low = total_penalty(height, wp.array(k - e, dtype=wp.float64))
        fd.append((high.numpy()[0] - low.numpy()[0]) / (2.0 * h))
    print("FD =", np.round(fd, 6).tolist())


if __name__ == "__main__":
    main()
