import numpy as np
import warp as wp


@wp.kernel
def dynamics(state: wp.array2d[float], action: wp.array2d[float], t: int, nxt: wp.array2d[float]):
    e = wp.tid()
    th = state[e, 0]
    om = state[e, 1]
    om = om + 0.1 * (action[t, e] - 2.0 * wp.sin(th))
    nxt[e, 0] = th + 0.1 * om
    nxt[e, 1] = om


@wp.kernel
def reward(state: wp.array2d[float], action: wp.array2d[float], t: int, total: wp.array[float]):
    e = wp.tid()
    r = wp.cos(state[e, 0]) - 0.05 * action[t, e] * action[t, e]
    wp.atomic_add(total, 0, r)


class PendulumEnv:
    num_envs = 2

    def __init__(self):
        self.state = None
        self.total = None

    def allocate(self):
        return wp.zeros((self.num_envs, 2), dtype=float, requires_grad=True)

    def reset(self):
        self.state = wp.array([[0.5, 0.0], [-0.3, 0.2]], dtype=float, requires_grad=True)
        self.total = wp.zeros(1, dtype=float, requires_grad=True)
        return self.state

    def maybe_reset(self, t):
        if t == 0:
            self.state.zero_()

    def step(self, action, t):
        nxt = self.allocate()
        wp.launch(dynamics, dim=self.num_envs, inputs=[self.state, action, t], outputs=[nxt])
        wp.launch(reward, dim=self.num_envs, inputs=[nxt, action, t], outputs=[self.total])
        self.state = nxt
        return self.state, self.total


def rollout(env, action, horizon):
    env.reset()
    for t in range(horizon):
        _, total = env.step(action, t)
        env.maybe_reset(t)
    return total


def loss_of(a, record=False, horizon=3):
    env = PendulumEnv()
    action = wp.array(np.asarray(a, dtype=np.float32).reshape(horizon, 2), dtype=float, requires_grad=True)
    tape = wp.Tape()
    with tape:
        total = rollout(env, action, horizon)
    if record:
        tape.backward(total)
        return action.grad.numpy().ravel()
    return float(total.numpy()[0])


def report(ad, fd, tol=2.0e-2):
    ad = np.atleast_1d(np.asarray(ad, dtype=np.float64))
    fd = np.atleast_1d(np.asarray(fd, dtype=np.float64))
    err = np.abs(ad - fd) / np.maximum(np.abs(fd), 1.0e-3)
    worst = float(np.max(err)) if np.all(np.isfinite(ad)) else float("inf")
    verdict = "MATCH" if worst < tol else "MISMATCH"
    print("AD =", np.array2string(ad, precision=5))
    print("FD =", np.array2string(fd, precision=5))
    print(f"RESULT verdict={verdict} max_rel_err={worst:.4g}")


def central_difference(fn, x0, h=1.0e-2):
    x0 = np.asarray(x0, dtype=np.float64)
    out = np.zeros_like(x0)
    for k in np.ndindex(x0.shape):
        hi, lo = x0.copy(), x0.copy()
        hi[k] += h
        lo[k] -= h
        out[k] = (fn(hi) - fn(lo)) / (2.0 * h)
    return out


if __name__ == "__main__":
    x0 = [0.1, 0.2, -0.3, 0.4, 0.5, -0.1]
    report(loss_of(x0, record=True), central_difference(loss_of, x0))
