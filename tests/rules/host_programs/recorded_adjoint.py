"""A hand-written adjoint on the tape, for a launch that the tape doesn't hold."""

import warp as wp
from common import buffer, leaves, multiply, scalar, sine, weighted_sum


def product(tape, src, k, dst):
    wp.launch(multiply, dim=4, inputs=[src, k], outputs=[dst], record_tape=False)

    def backward():
        wp.launch(
            multiply,
            dim=4,
            inputs=[src, k],
            outputs=[dst],
            adj_inputs=[src.grad, k.grad],
            adj_outputs=[dst.grad],
            adjoint=True,
        )

    tape.record_func(backward, arrays=[src, k, dst])


def main():
    a, k = leaves()
    x, y, loss = buffer(), buffer(), scalar()
    tape = wp.Tape()
    with tape:
        wp.launch(sine, dim=4, inputs=[a], outputs=[x])
        product(tape, x, k, y)
        wp.launch(weighted_sum, dim=4, inputs=[y], outputs=[loss])
    tape.backward(loss)
    return a.grad.numpy(), k.grad.numpy()


def value(a, k):
    x, y, loss = buffer(), buffer(), scalar()
    wp.launch(sine, dim=4, inputs=[a], outputs=[x])
    wp.launch(multiply, dim=4, inputs=[x, k], outputs=[y])
    wp.launch(weighted_sum, dim=4, inputs=[y], outputs=[loss])
    return loss.numpy()[0]


if __name__ == "__main__":
    print(main())
