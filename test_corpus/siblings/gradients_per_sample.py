import numpy as np

import warp as wp

N = 3


@wp.kernel
def times(x: wp.array[wp.float64], k: wp.array[wp.float64], y: wp.array[wp.float64]):
    i = wp.tid()
    y[i] = x[i] * k[0]


def main(a0, k0):
    k = wp.array(k0, dtype=wp.float64, requires_grad=True)
    samples = [wp.array([value], dtype=wp.float64, requires_grad=True) for value in a0]
    y = wp.zeros(1, dtype=wp.float64, requires_grad=True)
    tape = wp.Tape()
    rows = []
    for sample in samples:
        with tape:
            wp.launch(times, dim=1, inputs=[sample, k, y])
        tape.backward(grads={y: wp.ones(1, dtype=wp.float64)})
        rows.append(sample.grad.numpy()[0])
        tape.reset()
    return (np.array(rows),)


def value(a0, k0):
    return np.sum(a0 * k0)


A0 = [1.5, 0.7, -1.1]
K0 = [0.3]


if __name__ == "__main__":
    for name, gradient in zip(("a", "k"), main(np.array(A0), np.array(K0))):
        print(f"{name}.grad:", gradient)
