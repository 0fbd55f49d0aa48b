import numpy as np
import warp as wp


@wp.kernel
def predict(x: wp.array[wp.vec3], v: wp.array[wp.vec3], dt: float, p: wp.array[wp.vec3]):
    i = wp.tid()
    g = wp.vec3(0.0, -9.8, 0.0)
    if i == 0:
        g = wp.vec3(0.0)
    p[i] = x[i] + (v[i] + g * dt) * dt


@wp.kernel
def solve_distance(
    p: wp.array[wp.vec3],
    rest: wp.array[float],
    compliance: wp.array[float],
    lam: wp.array[float],
    dt: float,
    delta: wp.array[wp.vec3],
    lam_out: wp.array[float],
):
    e = wp.tid()
    d = p[e + 1] - p[e]
    l = wp.length(d)
    n = d / l
    alpha = compliance[e] / (dt * dt)
    c = l - rest[e]
    dl = -(c + alpha * lam[e]) / (2.0 + alpha)
    lam_out[e] = lam[e] + dl
    wp.atomic_sub(delta, e, n * dl)
    wp.atomic_add(delta, e + 1, n * dl)


@wp.kernel
def apply_delta(p: wp.array[wp.vec3], delta: wp.array[wp.vec3], out: wp.array[wp.vec3]):
    i = wp.tid()
    if i == 0:
        out[i] = p[i]
    else:
        out[i] = p[i] + delta[i] * 0.5


@wp.kernel
def update_velocity(x: wp.array[wp.vec3], p: wp.array[wp.vec3], dt: float, v: wp.array[wp.vec3]):
    i = wp.tid()
    v[i] = (p[i] - x[i]) / dt


@wp.kernel
def loss_kernel(x: wp.array[wp.vec3], n: int, loss: wp.array[float]):
    d = x[n - 1] - wp.vec3(2.0, -0.5, 0.0)
    loss[0] = wp.dot(d, d)


class XPBDSolver:
    def __init__(self, n, iterations, dt):
        self.n = n
        self.iterations = iterations
        self.dt = dt
        self.lam = wp.zeros(n - 1, dtype=float, requires_grad=True)

    def step(self, x, v, rest, compliance):
        n = self.n
        p = wp.zeros(n, dtype=wp.vec3, requires_grad=True)
        wp.launch(predict, dim=n, inputs=[x, v, self.dt], outputs=[p])
        lam = wp.zeros(n - 1, dtype=float, requires_grad=True)
        delta = wp.zeros(n, dtype=wp.vec3, requires_grad=True)
        for _ in range(self.iterations):
            delta.zero_()
            lam_new = wp.zeros_like(lam)
            wp.launch(
                solve_distance, dim=n - 1, inputs=[p, rest, compliance, lam, self.dt], outputs=[delta, lam_new]
            )
            p_new = wp.zeros_like(p)
            wp.launch(apply_delta, dim=n, inputs=[p, delta], outputs=[p_new])
            p, lam = p_new, lam_new
        v_new = wp.zeros_like(v)
        wp.launch(update_velocity, dim=n, inputs=[x, p, self.dt], outputs=[v_new])
        return p, v_new


def main():
    n = 4
    rest = wp.array(np.full(n - 1, 0.8), dtype=float, requires_grad=True)
    compliance = wp.array(np.full(n - 1, 0.02), dtype=float, requires_grad=True)
    x = wp.array([[float(i), 0.0, 0.0] for i in range(n)], dtype=wp.vec3, requires_grad=True)
    v = wp.zeros(n, dtype=wp.vec3, requires_grad=True)
    loss = wp.zeros(1, dtype=float, requires_grad=True)
    solver = XPBDSolver(n, 3, 0.1)
    tape = wp.Tape()
    with tape:
        for _ in range(3):
            x, v = solver.step(x, v, rest, compliance)
        wp.launch(loss_kernel, dim=1, inputs=[x, n], outputs=[loss])
    tape.backward(loss)
    print("rest.grad:", rest.grad.numpy())
    print("compliance.grad:", compliance.grad.numpy())


if __name__ == "__main__":
    main()
