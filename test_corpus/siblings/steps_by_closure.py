import numpy as np

import warp as wp

N = 3


@wp.kernel
def evolve(s: wp.array[wp.float64], k: wp.array[wp.float64], d: wp.array[wp.float64]):
    i = wp.tid()
    d[i] = s[i] + wp.sin(s[i]) * k[0]


@wp.kernel
def total(x: wp.array[wp.float64], loss: wp.array[wp.float64]):
    i = wp.tid()
    wp.atomic_add(loss, 0, x[i] * (wp.float64(i) + wp.float64(1.0)))


def stepper(k, buffers):
    def step(t):
        wp.launch(evolve, dim=N, inputs=[buffers[t % 2], k, buffers[(t + 1) % 2]])
        return buffers[(t + 1) % 2]

    return step


def forward(a, k):
    step = stepper(k, [wp.clone(a), wp.zeros_like(a)])
    ends = [step(t) for t in range(4)]
    loss = wp.zeros(1, dtype=wp.float64, requires_grad=True)
    wp.launch(total, dim=N, inputs=[ends[-1], loss])
    return loss


def main(a0, k0):
    a = wp.array(a0, dtype=wp.float64, requires_grad=True)
    k = wp.array(k0, dtype=wp.float64, requires_grad=True)
    tape = wp.Tape()
    with tape:
        loss = forward(a, k)
    tape.backward(grads={loss: wp.ones(1, dtype=wp.float64)})
    return a.grad.numpy(), k.grad.numpy()


def value(a0, k0):
    return forward(wp.array(a0, dtype=wp.float64), wp.array(k0, dtype=wp.float64)).numpy()[0]


A0 = [1.5, 0.7, -1.1]
K0 = [0.3]


if __name__ == "__main__":
    for name, gradient in zip(("a", "k"), main(np.array(A0), np.array(K0))):
        print(f"{name}.grad:", gradient)
