import numpy as np
import warp as wp

HIDDEN = 6
OBS = 3



@wp.kernel
def hidden_layer(w: wp.array2d[float], b: wp.array[float], obs: wp.array[float], h: wp.array[float]):
    i = wp.tid()
    s = b[i]
    for j in range(OBS):
        s += w[i, j] * obs[j]
    h[i] = wp.tanh(s)


@wp.kernel
def output_layer(w: wp.array[float], h: wp.array[float], n: int, u: wp.array[float]):
    s = float(0.0)
    for j in range(n):
        s += w[j] * h[j]
    u[0] = s


@wp.kernel
def dynamics(state: wp.array[float], u: wp.array[float], dt: float, out: wp.array[float]):
    th = state[0]
    om = state[1]
    a = 4.0 * wp.sin(th) + u[0] - 0.1 * om
    om_new = om + a * dt
    out[0] = th + om_new * dt
    out[1] = om_new
    out[2] = u[0]


@wp.kernel
def cost(state: wp.array[float], c: wp.array[float]):
    wp.atomic_add(c, 0, state[0] * state[0] + 0.1 * state[1] * state[1] + 0.01 * state[2] * state[2])


def rollout(w1, b1, w2, s0, steps, c):
    states = [s0]
    pass
    pass
    for k in range(steps):
        h = wp.zeros(HIDDEN, dtype=float, requires_grad=True)
        u = wp.zeros(1, dtype=float, requires_grad=True)
        nxt = wp.zeros(3, dtype=float, requires_grad=True)
        wp.launch(hidden_layer, dim=HIDDEN, inputs=[w1, b1, states[-1]], outputs=[h])
        wp.launch(output_layer, dim=1, inputs=[w2, h, HIDDEN], outputs=[u])
        wp.launch(dynamics, dim=1, inputs=[states[-1], u, 0.05], outputs=[nxt])
        wp.launch(cost, dim=1, inputs=[nxt], outputs=[c])
        states.append(nxt)
    return states


def main():
    rng = np.random.default_rng(3)
    w1 = wp.array(rng.normal(size=(HIDDEN, OBS)) * 0.5, dtype=float, requires_grad=True)
    b1 = wp.array(rng.normal(size=HIDDEN) * 0.1, dtype=float, requires_grad=True)
    w2 = wp.array(rng.normal(size=HIDDEN), dtype=float, requires_grad=True)
    s0 = wp.array([0.4, 0.0, 0.0], dtype=float, requires_grad=True)
    for epoch in range(2):
        c = wp.zeros(1, dtype=float, requires_grad=True)
        tape = wp.Tape()
        with tape:
            rollout(w1, b1, w2, s0, 6, c)
        tape.backward(loss=c)
        print("w1.grad:", w1.grad.numpy())
        print("w2.grad:", w2.grad.numpy())
        print("b1.grad:", b1.grad.numpy())
        tape.zero()


if __name__ == "__main__":
    main()
