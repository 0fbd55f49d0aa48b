import numpy as np
import warp as wp

STEPS = 8
DT = 0.1


@wp.func
def contact(x: wp.vec3, v: wp.vec3, ke: float, mu: float):
    pen = wp.min(x[1], 0.0)
    n = wp.vec3(0.0, 1.0, 0.0)
    fn = n * (-ke * pen)
    vt = v - n * wp.dot(v, n)
    vs = wp.sqrt(wp.dot(vt, vt) + 1.0e-4)
    ft = vt * (-mu * ke * wp.abs(pen) / vs)
    return fn + ft


@wp.kernel
def simulate(
    x: wp.array2d[wp.vec3], v: wp.array2d[wp.vec3], ke: wp.array[float], mu: wp.array[float], t: int, dt: float
):
    i = wp.tid()
    xi = x[t, i]
    vi = v[t, i]
    f = contact(xi, vi, ke[0], mu[0])
    vn = vi + (f + wp.vec3(0.0, -9.0, 0.0)) * dt
    if xi[1] < 0.0:
        vn = wp.vec3(vn[0], 0.5 * vn[1], vn[2])
    v[t + 1, i] = vn
    x[t + 1, i] = xi + vn * dt


@wp.kernel
def start(x0: wp.array[wp.vec3], v0: wp.array[wp.vec3], x: wp.array2d[wp.vec3], v: wp.array2d[wp.vec3]):
    i = wp.tid()
    x[0, i] = x0[i]
    v[0, i] = v0[i]


@wp.kernel
def objective(x: wp.array2d[wp.vec3], t: int, loss: wp.array[float]):
    i = wp.tid()
    d = x[t, i] - wp.vec3(1.0, 0.3, 0.0)
    wp.atomic_add(loss, 0, wp.dot(d, d))


def main():
    x0 = wp.array([[0.0, 0.25, 0.0], [0.3, 0.4, 0.1]], dtype=wp.vec3, requires_grad=True)
    v0 = wp.array([[1.0, 0.0, 0.3], [0.5, -1.0, 0.2]], dtype=wp.vec3, requires_grad=True)
    ke = wp.array([40.0], dtype=float, requires_grad=True)
    mu = wp.array([0.2], dtype=float, requires_grad=True)
    x = wp.zeros((STEPS + 1, 2), dtype=wp.vec3, requires_grad=True)
    v = wp.zeros((STEPS + 1, 2), dtype=wp.vec3, requires_grad=True)
    loss = wp.zeros(1, dtype=float, requires_grad=True)
    tape = wp.Tape()
    with tape:
        wp.launch(start, dim=2, inputs=[x0, v0], outputs=[x, v])
        for t in range(STEPS):
            wp.launch(simulate, dim=2, inputs=[x, v, ke, mu, t, DT])
        wp.launch(objective, dim=2, inputs=[x, STEPS], outputs=[loss])
    tape.backward(loss)
    print("v0.grad:", v0.grad.numpy())
    print("ke.grad:", ke.grad.numpy())
    print("mu.grad:", mu.grad.numpy())


if __name__ == "__main__":
    main()
