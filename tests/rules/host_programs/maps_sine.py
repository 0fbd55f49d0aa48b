"""A map replaces an array by its sine."""

import warp as wp
from common import F, buffer, leaves, scalar, weighted_sum


@wp.func
def affine(x: wp.float64, y: wp.float64) -> wp.float64:
    return F(2.0) * x - y


@wp.func
def bilinear(x: wp.float64, y: wp.float64) -> wp.float64:
    return x * (y + F(1.0))


def forward(a, k):
    y, z, loss = buffer(), buffer(), scalar()
    wp.map(wp.mul, a, k, out=y)
    wp.map(wp.sin, y, out=y)  # ADJ102
    wp.launch(weighted_sum, dim=4, inputs=[y], outputs=[loss])
    wp.launch(weighted_sum, dim=4, inputs=[z], outputs=[loss])
    return loss


def main():
    a, k = leaves()
    tape = wp.Tape()
    with tape:
        loss = forward(a, k)
    tape.backward(loss)
    return a.grad.numpy(), k.grad.numpy()


def value(a, k):
    return forward(a, k).numpy()[0]


if __name__ == "__main__":
    print(main())
