import numpy as np
import warp as wp


@wp.kernel
def sensor(x: wp.array[wp.vec3], beacon: wp.array[wp.vec3], r: wp.array2d[float]):
    i, j = wp.tid()
    r[i, j] = wp.length(x[i] - beacon[j])


@wp.kernel
def residual(r: wp.array2d[float], z: wp.array2d[float], w: wp.array[float], e: wp.array[float]):
    i, j = wp.tid()
    d = (r[i, j] - z[i, j]) * w[j]
    if wp.abs(d) > 0.5:
        wp.atomic_add(e, 0, 0.5 * (2.0 * wp.abs(d) - 0.5))
    else:
        wp.atomic_add(e, 0, d * d)


def jacobian(x, beacon, w, z):
    n, m = x.shape[0], beacon.shape[0]
    rows = []
    r = wp.zeros((n, m), dtype=float, requires_grad=True)
    tape = wp.Tape()
    with tape:
        wp.launch(sensor, dim=(n, m), inputs=[x, beacon], outputs=[r])
    for j in range(m):
        seed = np.zeros((n, m), dtype=np.float32)
        seed[:, j] = 1.0
        tape.backward(grads={r: wp.array(seed, dtype=float)})
        print("x.grad:", x.grad.numpy())
        tape.zero()
    return rows


def solve(x, beacon, w, z):
    for it in range(2):
        tape = wp.Tape()
        with tape:
            r = wp.zeros((2, 2), dtype=float, requires_grad=True)
            e = wp.zeros(1, dtype=float, requires_grad=True)
            wp.launch(sensor, dim=(2, 2), inputs=[x, beacon], outputs=[r])
            wp.launch(residual, dim=(2, 2), inputs=[r, z, w], outputs=[e])
        tape.backward(e)
        print("x.grad:", x.grad.numpy())
        tape.zero()


def main():
    x = wp.array([[0.1, 0.2, 0.3], [1.0, 0.5, 0.2]], dtype=wp.vec3, requires_grad=True)
    beacon = wp.array([[0.0, 0.0, 1.0], [2.0, 0.0, 0.0]], dtype=wp.vec3)
    z = wp.array([[0.6, 1.2], [1.3, 0.7]], dtype=float)
    w = wp.array([1.0, 0.5], dtype=float)
    jacobian(x, beacon, w, z)
    solve(x, beacon, w, z)


if __name__ == "__main__":
    main()
