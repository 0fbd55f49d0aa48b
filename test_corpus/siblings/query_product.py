import numpy as np
import warp as wp


@wp.kernel
def near(grid: wp.uint64, x: wp.array[wp.vec3], y: wp.array[float], out: wp.array[float]):
    i = wp.tid()
    xi = wp.vec3(0.1, 0.1, 0.1)
    s = float(0.0)
    for j in wp.hash_grid_query(grid, xi, 10.0):
        s = s * x[j][0] + x[j][1]
    out[i] = s + y[i]


@wp.kernel
def total(x: wp.array[float], loss: wp.array[float]):
    i = wp.tid()
    wp.atomic_add(loss, 0, x[i] * float(i + 1))


def main():
    x = wp.array([[0.1, 0.2, 0.3], [0.2, 0.1, 0.4], [0.5, 0.2, 0.1]], dtype=wp.vec3, requires_grad=True)
    y = wp.array([0.5, 0.7, 1.1], dtype=float, requires_grad=True)
    out = wp.zeros(3, dtype=float, requires_grad=True)
    loss = wp.zeros(1, dtype=float, requires_grad=True)
    grid = wp.HashGrid(4, 4, 4)
    grid.build(x, 10.0)
    with wp.Tape() as tape:
        wp.launch(near, dim=3, inputs=[grid.id, x, y], outputs=[out])
        wp.launch(total, dim=3, inputs=[out], outputs=[loss])
    tape.backward(loss)
    print("x.grad:", x.grad.numpy())
    print("y.grad:", y.grad.numpy())


if __name__ == "__main__":
    main()
