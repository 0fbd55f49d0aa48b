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


class Simulation:
    def __init__(self, a, k):
        self.a, self.k = a, k
        self._buffers = [wp.zeros_like(a), wp.zeros_like(a)]
        self._step = 0

    @property
    def now(self):
        return self._buffers[self._step % 2]

    @property
    def then(self):
        return self._buffers[(self._step + 1) % 2]

    def run(self, steps):
        wp.copy(self.now, self.a)
        for _ in range(steps):
            wp.launch(evolve, dim=N, inputs=[self.now, self.k, self.then])
            self._step += 1
        loss = wp.zeros(1, dtype=wp.float64, requires_grad=True)
        wp.launch(total, dim=N, inputs=[self.now, loss])
        return loss


def main(a0, k0):
    a = wp.array(a0, dtype=wp.float64, requires_grad=True)
    k = wp.array(k0, dtype=wp.float64, requires_grad=True)
    sim = Simulation(a, k)
    with wp.Tape() as tape:
        loss = sim.run(3)
    tape.backward(loss)
    return a.grad.numpy(), k.grad.numpy()


def value(a0, k0):
    return Simulation(wp.array(a0, dtype=wp.float64), wp.array(k0, dtype=wp.float64)).run(3).numpy()[0]


A0 = [1.5, 0.7, -1.1]
K0 = [0.3]


if __name__ == "__main__":
    for name, gradient in zip(("a", "k"), main(np.array(A0), np.array(K0))):
        print(f"{name}.grad:", gradient)
