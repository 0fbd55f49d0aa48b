import numpy as np
import warp as wp


@wp.kernel
def density(grid: wp.uint64, x: wp.array[wp.vec3], h: float, rho: wp.array[float]):
    i = wp.tid()
    xi = x[i]
    s = float(0.0)
    for j in wp.hash_grid_query(grid, xi, h):
        d = xi - x[j]
        q = wp.length_sq(d) / (h * h)
        if q < 1.0:
            s += (1.0 - q) * (1.0 - q) * (1.0 - q)
    rho[i] = s


@wp.kernel
def pressure(grid: wp.uint64, x: wp.array[wp.vec3], rho: wp.array[float], k: wp.array[float], h: float, f: wp.array[wp.vec3]):
    i = wp.tid()
    xi = x[i]
    s = wp.vec3()
    for j in wp.hash_grid_query(grid, xi, h):
        if j != i:
            d = xi - x[j]
            l = wp.length(d)
            if l < h:
                s += d / l * (k[0] * (rho[i] + rho[j]) * (1.0 - l / h))
    f[i] = s


@wp.kernel
def push(x: wp.array[wp.vec3], v: wp.array[wp.vec3], f: wp.array[wp.vec3], dt: float, xo: wp.array[wp.vec3], vo: wp.array[wp.vec3]):
    i = wp.tid()
    vn = v[i] + f[i] * dt
    vo[i] = vn
    xo[i] = x[i] + vn * dt


@wp.kernel
def spread(x: wp.array[wp.vec3], loss: wp.array[float]):
    i = wp.tid()
    wp.atomic_add(loss, 0, wp.dot(x[i], x[i]))


def main():
    rng = np.random.default_rng(5)
    n, steps, h = 8, 2, 0.6
    x = wp.array(rng.random((n, 3)) * 0.6, dtype=wp.vec3, requires_grad=True)
    x0 = x
    v = wp.zeros(n, dtype=wp.vec3, requires_grad=True)
    k = wp.array([0.8], dtype=float, requires_grad=True)
    loss = wp.zeros(1, dtype=float, requires_grad=True)
    grids = [wp.HashGrid(8, 8, 8) for _ in range(steps)]
    tape = wp.Tape()
    with tape:
        for t in range(steps):
            grid = grids[t % len(grids)]
            grid.build(x, h)
            rho = wp.zeros(n, dtype=float, requires_grad=True)
            f = wp.zeros(n, dtype=wp.vec3, requires_grad=True)
            xn = wp.zeros_like(x)
            vn = wp.zeros_like(v)
            wp.launch(density, dim=n, inputs=[grid.id, x, h], outputs=[rho])
            wp.launch(pressure, dim=n, inputs=[grid.id, x, rho, k, h], outputs=[f])
            wp.launch(push, dim=n, inputs=[x, v, f, 0.1], outputs=[xn, vn])
            x, v = xn, vn
        wp.launch(spread, dim=n, inputs=[x], outputs=[loss])
    tape.backward(loss)
    print("k.grad:", k.grad.numpy())
    print("x0.grad:", x0.grad.numpy())


if __name__ == "__main__":
    main()
