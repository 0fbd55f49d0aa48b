import numpy as np
import warp as wp

GRAVITY = wp.constant(wp.vec3(0.0, -9.8, 0.0))


@wp.struct
class ClothModel:
    edges: wp.array2d(dtype=int)
    rest: wp.array(dtype=float)
    inv_mass: wp.array(dtype=float)
    stiffness: wp.array(dtype=float)
    damping: float


@wp.kernel
def edge_forces(m: ClothModel, x: wp.array(dtype=wp.vec3), v: wp.array(dtype=wp.vec3), f: wp.array(dtype=wp.vec3)):
    e = wp.tid()
    a = m.edges[e, 0]
    b = m.edges[e, 1]
    d = x[b] - x[a]
    l = wp.length(d)
    n = d / l
    rel = wp.dot(v[b] - v[a], n)
    s = n * (m.stiffness[0] * (l - m.rest[e]) + m.damping * rel)
    wp.atomic_add(f, a, s)
    wp.atomic_add(f, b, -s)


@wp.kernel
def wind_forces(wind: wp.array(dtype=wp.vec3), v: wp.array(dtype=wp.vec3), f: wp.array(dtype=wp.vec3)):
    i = wp.tid()
    r = wind[0] - v[i]
    wp.atomic_add(f, i, r * (0.2 * wp.length(r)))


@wp.kernel
def semi_implicit(m: ClothModel, x: wp.array(dtype=wp.vec3), v: wp.array(dtype=wp.vec3), f: wp.array(dtype=wp.vec3), dt: float,
                  x_out: wp.array(dtype=wp.vec3), v_out: wp.array(dtype=wp.vec3)):
    i = wp.tid()
    a = GRAVITY + f[i] * m.inv_mass[i]
    if m.inv_mass[i] == 0.0:
        a = wp.vec3()
    vn = v[i] + a * dt
    xn = x[i] + vn * dt
    xn = wp.vec3(xn[0], wp.max(xn[1], -2.0), xn[2])
    x_out[i] = xn
    v_out[i] = vn


@wp.kernel
def match(x: wp.array(dtype=wp.vec3), goal: wp.array(dtype=wp.vec3), loss: wp.array(dtype=float)):
    i = wp.tid()
    d = x[i] - goal[i]
    wp.atomic_add(loss, 0, wp.dot(d, d))


class State:
    def __init__(self, n, requires_grad=True):
        self.x = wp.zeros(n, dtype=wp.vec3, requires_grad=requires_grad)
        self.v = wp.zeros(n, dtype=wp.vec3, requires_grad=requires_grad)
        self.f = wp.zeros(n, dtype=wp.vec3, requires_grad=requires_grad)

    def clear_forces(self):
        self.f.zero_()


class Simulator:
    def __init__(self, side, steps):
        pts, edges = [], []
        for j in range(side):
            for i in range(side):
                pts.append([0.3 * i, 0.02 * i * j, 0.3 * j])
                if i:
                    edges.append([j * side + i - 1, j * side + i])
                if j:
                    edges.append([(j - 1) * side + i, j * side + i])
        self.pts = np.array(pts)
        n = len(pts)
        self.n = n
        self.steps = steps
        self.model = ClothModel()
        self.model.edges = wp.array(np.array(edges), dtype=int)
        self.model.rest = wp.full(len(edges), 0.28, dtype=float)
        im = np.ones(n)
        im[0] = 0.0
        self.model.inv_mass = wp.array(im, dtype=float)
        self.stiffness = wp.array([20.0], dtype=float, requires_grad=True)
        self.model.stiffness = self.stiffness
        self.model.damping = 0.1
        self.wind = wp.array([[0.5, 0.3, 1.0]], dtype=wp.vec3, requires_grad=True)
        self.states = [State(n) for _ in range(steps + 1)]
        self.states[0].x.assign(self.pts)
        self.goal = wp.array(self.pts + 0.1, dtype=wp.vec3)
        self.loss = wp.zeros(1, dtype=float, requires_grad=True)

    def step(self, s0, s1):
        pass
        wp.launch(edge_forces, dim=self.model.edges.shape[0], inputs=[self.model, s0.x, s0.v], outputs=[s0.f])
        wp.launch(wind_forces, dim=self.n, inputs=[self.wind, s0.v], outputs=[s0.f])
        wp.launch(semi_implicit, dim=self.n, inputs=[self.model, s0.x, s0.v, s0.f, 0.03], outputs=[s1.x, s1.v])

    def run(self):
        for k in range(self.steps):
            self.step(self.states[k], self.states[k + 1])
        wp.launch(match, dim=self.n, inputs=[self.states[-1].x, self.goal], outputs=[self.loss])


def main():
    sim = Simulator(3, 5)
    tape = wp.Tape()
    with tape:
        sim.run()
    tape.backward(sim.loss)
    print("sim.stiffness.grad:", sim.stiffness.grad.numpy())
    print("sim.wind.grad:", sim.wind.grad.numpy())


if __name__ == "__main__":
    main()
