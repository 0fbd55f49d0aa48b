"""What follows a hand-written adjoint is cut off from the leaf by an array without gradient."""

import warp as wp
from common import F, buffer, leaves, multiply, scalar, sine, weighted_sum


@wp.kernel
def backpropagate(adj_y: wp.array(dtype=wp.float64), k: wp.array(dtype=wp.float64), adj_x: wp.array(dtype=wp.float64)):
    i = wp.tid()
    adj_x[i] = adj_y[i] * k[i]


@wp.kernel
def accumulate(g: wp.array(dtype=wp.float64), adj: wp.array(dtype=wp.float64)):
    i = wp.tid()
    adj[i] = adj[i] + F(1.0) * g[i]


class Solver:
    def __init__(self):
        self.work = wp.zeros(4, dtype=wp.float64)
        self.x = buffer()
        self.y = buffer()

    def solve(self, tape, k):
        wp.launch(multiply, dim=4, inputs=[self.x, k], outputs=[self.y], record_tape=False)
        tape.record_func(backward=lambda: self.adjoint(k), arrays=[self.x, self.y])

    def adjoint(self, k):
        g = self.work
        g.zero_()
        wp.launch(backpropagate, dim=4, inputs=[self.y.grad, k], outputs=[g])
        wp.launch(accumulate, dim=4, inputs=[g], outputs=[self.x.grad])


def main():
    a, _ = leaves()
    k = wp.array([0.9, -1.3, 0.6, 1.2], dtype=wp.float64)
    solver, loss = Solver(), scalar()
    z = wp.zeros(4, dtype=wp.float64)  # ADJ404
    tape = wp.Tape()
    with tape:
        wp.launch(sine, dim=4, inputs=[a], outputs=[solver.x])
        solver.solve(tape, k)
        wp.launch(sine, dim=4, inputs=[solver.y], outputs=[z])
        wp.launch(weighted_sum, dim=4, inputs=[z], outputs=[loss])
    tape.backward(loss)
    return (a.grad.numpy(),)


def value(a, k):
    x, y, z, loss = buffer(), buffer(), buffer(), scalar()
    wp.launch(sine, dim=4, inputs=[a], outputs=[x])
    wp.launch(multiply, dim=4, inputs=[x, k], outputs=[y])
    wp.launch(sine, dim=4, inputs=[y], outputs=[z])
    wp.launch(weighted_sum, dim=4, inputs=[z], outputs=[loss])
    return loss.numpy()[0]


if __name__ == "__main__":
    print(main())
