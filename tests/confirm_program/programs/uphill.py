"""A large array whose derivatives add up uphill, and cancel along a random direction, beside a large constant."""

import numpy as np
import warp as wp

N = 20_000


@wp.kernel
def terms(x: wp.array(dtype=float), s: wp.array(dtype=float)):
    i = wp.tid()
    wp.atomic_add(s, 0, 1.0e-3 * wp.exp(x[i]))


@wp.kernel
def shift(s: wp.array(dtype=float), loss: wp.array(dtype=float)):
    loss[0] = s[0] + 1.0e5


x = wp.array(np.random.default_rng(0).uniform(0.5, 1.0, N), dtype=float, device="cpu", requires_grad=True)
s = wp.zeros(1, dtype=float, device="cpu", requires_grad=True)
loss = wp.zeros(1, dtype=float, device="cpu", requires_grad=True)
with wp.Tape() as tape:
    wp.launch(terms, N, inputs=[x], outputs=[s], device="cpu")
    wp.launch(shift, 1, inputs=[s], outputs=[loss], device="cpu")
tape.backward(loss)
print(x.grad.numpy()[:4])
