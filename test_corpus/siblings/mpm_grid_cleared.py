import numpy as np
import warp as wp

N = 8
DX = 1.0 / 8.0


@wp.func
def weight(d: float):
    a = wp.abs(d)
    if a < 0.5:
        return 0.75 - a * a
    if a < 1.5:
        return 0.5 * (1.5 - a) * (1.5 - a)
    return 0.0


@wp.kernel
def p2g(x: wp.array[wp.vec2], v: wp.array[wp.vec2], gm: wp.array2d[float], gv: wp.array2d[wp.vec2]):
    p = wp.tid()
    xp = x[p] / DX
    bx = int(xp[0] - 0.5)
    by = int(xp[1] - 0.5)
    for i in range(3):
        for j in range(3):
            w = weight(xp[0] - float(bx + i)) * weight(xp[1] - float(by + j))
            wp.atomic_add(gm, bx + i, by + j, w)
            wp.atomic_add(gv, bx + i, by + j, v[p] * w)


@wp.kernel
def grid_op(gm: wp.array2d[float], gv: wp.array2d[wp.vec2], dt: float, out: wp.array2d[wp.vec2]):
    i, j = wp.tid()
    m = gm[i, j]
    if m > 1.0e-6:
        v = gv[i, j] / m
        v = v + wp.vec2(0.0, -2.0) * dt
        if j < 3:
            v = wp.vec2(v[0], wp.max(v[1], 0.0))
        out[i, j] = v


@wp.kernel
def grid_op_inplace(gm: wp.array2d[float], gv: wp.array2d[wp.vec2], dt: float):
    i, j = wp.tid()
    m = gm[i, j]
    if m > 1.0e-6:
        gv[i, j] = gv[i, j] / m + wp.vec2(0.0, -2.0) * dt


@wp.kernel
def g2p(x: wp.array[wp.vec2], gv: wp.array2d[wp.vec2], dt: float, xo: wp.array[wp.vec2], vo: wp.array[wp.vec2]):
    p = wp.tid()
    xp = x[p] / DX
    bx = int(xp[0] - 0.5)
    by = int(xp[1] - 0.5)
    v = wp.vec2()
    for i in range(3):
        for j in range(3):
            w = weight(xp[0] - float(bx + i)) * weight(xp[1] - float(by + j))
            v += gv[bx + i, by + j] * w
    vo[p] = v
    xo[p] = x[p] + v * dt


@wp.kernel
def com(x: wp.array[wp.vec2], n: int, c: wp.array[wp.vec2]):
    p = wp.tid()
    wp.atomic_add(c, 0, x[p] / float(n))


@wp.kernel
def dist(c: wp.array[wp.vec2], loss: wp.array[float]):
    d = c[0] - wp.vec2(0.7, 0.6)
    loss[0] = wp.dot(d, d)


def main():
    rng = np.random.default_rng(0)
    n, steps = 5, 3
    xs = [wp.array(0.35 + 0.2 * rng.random((n, 2)), dtype=wp.vec2, requires_grad=True)]
    vs = [wp.array(rng.normal(size=(n, 2)), dtype=wp.vec2, requires_grad=True)]
    for k in range(steps):
        xs.append(wp.zeros(n, dtype=wp.vec2, requires_grad=True))
        vs.append(wp.zeros(n, dtype=wp.vec2, requires_grad=True))
    c = wp.zeros(1, dtype=wp.vec2, requires_grad=True)
    loss = wp.zeros(1, dtype=float, requires_grad=True)
    gm = wp.zeros((N, N), dtype=float, requires_grad=True)
    gv = wp.zeros((N, N), dtype=wp.vec2, requires_grad=True)
    go = wp.zeros((N, N), dtype=wp.vec2, requires_grad=True)
    tape = wp.Tape()
    with tape:
        for k in range(steps):
            gm.zero_()
            gv.zero_()
            wp.launch(p2g, dim=n, inputs=[xs[k], vs[k]], outputs=[gm, gv])
            wp.launch(grid_op, dim=(N, N), inputs=[gm, gv, 0.02], outputs=[go])
            wp.launch(g2p, dim=n, inputs=[xs[k], go, 0.02], outputs=[xs[k + 1], vs[k + 1]])
        wp.launch(com, dim=n, inputs=[xs[-1], n], outputs=[c])
        wp.launch(dist, dim=1, inputs=[c], outputs=[loss])
    tape.backward(loss)
    v0 = vs[0]
    print("v0.grad:", v0.grad.numpy())


if __name__ == "__main__":
    main()
