"""A wing's shape is tuned with one tape, which is entered again in every iteration."""

import numpy as np
import warp as wp


@wp.kernel
def pressure(shape: wp.array[wp.float64], cp: wp.array[wp.float64]):
    i = wp.tid()
    cp[i] = wp.float64(1.0) - shape[i] * shape[i]


@wp.kernel
def drag(cp: wp.array[wp.float64], loss: wp.array[wp.float64]):
    i = wp.tid()
    wp.atomic_add(loss, 0, cp[i] * cp[i])


class Wing:
    def __init__(self, shape):
        self.shape = wp.array(shape, dtype=wp.float64, requires_grad=True)
        self.cp = wp.zeros_like(self.shape)
        self.loss = wp.zeros(1, dtype=wp.float64, requires_grad=True)
        self.tape = wp.Tape()

    def forward(self):
        self.loss.zero_()
        wp.launch(pressure, dim=self.shape.shape, inputs=[self.shape], outputs=[self.cp])
        wp.launch(drag, dim=self.shape.shape, inputs=[self.cp], outputs=[self.loss])

    def iterate(self, rate=0.05):
        with self.tape:  # ADJ403
            self.forward()
        self.tape.backward(self.loss)
        gradient = self.shape.grad.numpy().copy()
        self.tape.zero()
        self.shape.assign(self.shape.numpy() - rate * gradient)
        return gradient


if __name__ == "__main__":
    wing = Wing([0.4, 0.7, 1.2])
    wing.iterate()
    shape = wing.shape.numpy().copy()
    print("AD =", wing.iterate().round(6).tolist())

    def loss_of(values):
        trial = Wing(values)
        trial.forward()
        return trial.loss.numpy()[0]

    h = 1e-6
    fd = [(loss_of(shape + e) - loss_of(shape - e)) / (2.0 * h) for e in h * np.eye(3)]
    print("FD =", np.round(fd, 6).tolist())
