import numpy as np

import warp as wp

N = 3


@wp.kernel
def times(x: wp.array[wp.float64], k: wp.array[wp.float64], y: wp.array[wp.float64]):
    i = wp.tid()
    y[i] = x[i] * k[0]


@wp.kernel
def total_square(x: wp.array[wp.float64], loss: wp.array[wp.float64]):
    i = wp.tid()
    wp.atomic_add(loss, 0, x[i] * x[i])


@wp.kernel
def descend(x: wp.array[wp.float64], g: wp.array[wp.float64], lr: wp.float64):
    i = wp.tid()
    x[i] = x[i] - lr * g[i]


class Model:
    def __init__(self, a0, k0):
        self.parameters = {
            "a": wp.array(a0, dtype=wp.float64, requires_grad=True),
            "k": wp.array(k0, dtype=wp.float64, requires_grad=True),
        }

    def __getitem__(self, name):
        return self.parameters[name]

    def loss(self):
        y = wp.zeros_like(self["a"])
        loss = wp.zeros(1, dtype=wp.float64, requires_grad=True)
        wp.launch(times, dim=N, inputs=[self["a"], self["k"], y])
        wp.launch(total_square, dim=N, inputs=[y, loss])
        return loss


def main(a0, k0):
    model = Model(a0, k0)
    for _ in range(3):
        tape = wp.Tape()
        with tape:
            loss = model.loss()
        tape.backward(loss)
        for parameter in model.parameters.values():
            wp.launch(descend, dim=parameter.shape, inputs=[parameter, parameter.grad, 0.0])
    return model["a"].grad.numpy(), model["k"].grad.numpy()


def value(a0, k0):
    return Model(a0, k0).loss().numpy()[0]


A0 = [1.5, 0.7, -1.1]
K0 = [0.3]


if __name__ == "__main__":
    for name, gradient in zip(("a", "k"), main(np.array(A0), np.array(K0))):
        print(f"{name}.grad:", gradient)
