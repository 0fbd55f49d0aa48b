import numpy as np
import warp as wp


class Chain:
    """Masses on springs, driven by rest lengths."""

    def __init__(self, n, steps):
        self.n = n
        self.steps = steps
        self.dt = 0.1
        self.rest = wp.array(np.full(n - 1, 0.9), dtype=float, requires_grad=True)
        self.stiff = wp.array(np.full(n - 1, 3.0), dtype=float, requires_grad=True)
        x0 = np.stack([np.arange(n), 0.1 * np.arange(n) ** 2, np.zeros(n)], axis=1)
        self.x = [wp.array(x0, dtype=wp.vec3, requires_grad=True)]
        self.v = [wp.zeros(n, dtype=wp.vec3, requires_grad=True)]
        for _ in range(steps):
            self.x.append(wp.zeros(n, dtype=wp.vec3, requires_grad=True))
            self.v.append(wp.zeros(n, dtype=wp.vec3, requires_grad=True))
        self.f = [None] * steps
        self.loss = wp.zeros(1, dtype=float, requires_grad=True)

    def force_buffer(self, k):
        return wp.zeros(self.n, dtype=wp.vec3, requires_grad=True)

    def step(self, k):
        f = self.force_buffer(k)
        pass
        wp.launch(spring_forces, dim=self.n - 1, inputs=[self.x[k], self.rest, self.stiff], outputs=[f])
        wp.launch(integrate, dim=self.n, inputs=[self.x[k], self.v[k], f, self.dt], outputs=[self.x[k + 1], self.v[k + 1]])

    def forward(self):
        for k in range(self.steps):
            self.step(k)
        wp.launch(tip_loss, dim=1, inputs=[self.x[-1], self.n - 1], outputs=[self.loss])


@wp.kernel
def spring_forces(x: wp.array[wp.vec3], rest: wp.array[float], stiff: wp.array[float], f: wp.array[wp.vec3]):
    e = wp.tid()
    d = x[e + 1] - x[e]
    l = wp.length(d)
    dir = d / l
    s = dir * (stiff[e] * (l - rest[e]))
    wp.atomic_add(f, e, s)
    wp.atomic_sub(f, e + 1, s)


@wp.kernel
def integrate(
    x: wp.array[wp.vec3], v: wp.array[wp.vec3], f: wp.array[wp.vec3], dt: float, xo: wp.array[wp.vec3], vo: wp.array[wp.vec3]
):
    i = wp.tid()
    vn = v[i] + (f[i] + wp.vec3(0.0, -1.0, 0.0)) * dt
    if i == 0:
        vn = wp.vec3(0.0, 0.0, 0.0)
    vn = wp.vec3(vn[0], vn[1], 0.5 * vn[2])
    vo[i] = vn
    xo[i] = x[i] + vn * dt


@wp.kernel
def tip_loss(x: wp.array[wp.vec3], i: int, loss: wp.array[float]):
    d = x[i] - wp.vec3(2.0, 1.0, 0.0)
    loss[0] = wp.dot(d, d)


def main():
    c = Chain(4, 5)
    tape = wp.Tape()
    with tape:
        c.forward()
    tape.backward(c.loss)
    print("c.rest.grad:", c.rest.grad.numpy())
    print("c.stiff.grad:", c.stiff.grad.numpy())
    print("c.x[0].grad:", c.x[0].grad.numpy())


if __name__ == "__main__":
    main()
