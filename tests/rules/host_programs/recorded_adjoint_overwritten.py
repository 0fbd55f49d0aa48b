"""The hand-written adjoint reads the state again, which is overwritten by then."""

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
            adj_inputs=[None, None],
            adj_outputs=[None],
            adjoint=True,
        )

    tape.record_func(backward, arrays=[src, k, dst])


def forward(launch_product, a, k):
    x, y, loss = buffer(), buffer(), scalar()
    wp.launch(sine, dim=4, inputs=[a], outputs=[x])
    launch_product(x, k, y)
    wp.launch(sine, dim=4, inputs=[y], outputs=[x])  # ADJ301
    wp.launch(weighted_sum, dim=4, inputs=[x], outputs=[loss])
    return loss


def main():
    a, k = leaves()
    tape = wp.Tape()
    with tape:
        loss = forward(lambda x, k, y: product(tape, x, k, y), a, k)
    tape.backward(loss)
    return a.grad.numpy(), k.grad.numpy()


def value(a, k):
    return forward(lambda x, k, y: wp.launch(multiply, dim=4, inputs=[x, k], outputs=[y]), a, k).numpy()[0]


if __name__ == "__main__":
    print(main())
