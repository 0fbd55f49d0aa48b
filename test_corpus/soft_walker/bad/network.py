"""A small multilayer perceptron on Warp arrays."""

import numpy as np
import warp as wp


@wp.kernel
def dense(
    w: wp.array2d(dtype=wp.float64),
    b: wp.array(dtype=wp.float64),
    x: wp.array(dtype=wp.float64),
    y: wp.array(dtype=wp.float64),
):
    row, col = wp.tid()
    if col == 0:
        wp.atomic_add(y, row, b[row])
    wp.atomic_add(y, row, w[row, col] * x[col])


@wp.kernel
def activate(x: wp.array(dtype=wp.float64), y: wp.array(dtype=wp.float64)):
    i = wp.tid()
    y[i] = wp.tanh(x[i])


class Layer:
    def __init__(self, inputs: int, outputs: int, rng: np.random.Generator):
        self.w = wp.array(rng.normal(0.0, 0.6, (outputs, inputs)), dtype=wp.float64, requires_grad=True)
        self.b = wp.array(rng.normal(0.0, 0.1, outputs), dtype=wp.float64, requires_grad=True)
        self.inputs, self.outputs = inputs, outputs
        self.post = wp.zeros(outputs, dtype=wp.float64, requires_grad=True)

    def __call__(self, x: wp.array) -> wp.array:
        pre = wp.zeros(self.outputs, dtype=wp.float64, requires_grad=True)
        wp.launch(dense, dim=(self.outputs, self.inputs), inputs=[self.w, self.b, x], outputs=[pre])
        wp.launch(activate, dim=self.outputs, inputs=[pre], outputs=[self.post])
        return self.post


class Mlp:
    def __init__(self, *sizes: int, seed: int = 3):
        rng = np.random.default_rng(seed)
        self.layers = [Layer(a, b, rng) for a, b in zip(sizes[:-1], sizes[1:])]

    def __call__(self, x: wp.array) -> wp.array:
        for layer in self.layers:
            x = layer(x)
        return x

    def parameters(self) -> list[wp.array]:
        return [p for layer in self.layers for p in (layer.w, layer.b)]
