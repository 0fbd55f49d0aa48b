import numpy as np
import warp as wp


@wp.kernel
def dense(x: wp.array2d(dtype=float), w: wp.array2d(dtype=float), b: wp.array(dtype=float), y: wp.array2d(dtype=float)):
    i, j = wp.tid()
    s = b[j]
    for k in range(w.shape[0]):
        s += x[i, k] * w[k, j]
    y[i, j] = s


@wp.kernel
def activate(x: wp.array2d(dtype=float), y: wp.array2d(dtype=float)):
    i, j = wp.tid()
    y[i, j] = wp.tanh(x[i, j])


@wp.kernel
def mse(y: wp.array2d(dtype=float), t: wp.array2d(dtype=float), loss: wp.array(dtype=float)):
    i, j = wp.tid()
    d = y[i, j] - t[i, j]
    wp.atomic_add(loss, 0, d * d)


class Linear:
    def __init__(self, rng, n_in, n_out):
        self.w = wp.array(rng.normal(size=(n_in, n_out)) * 0.5, dtype=float, requires_grad=True)
        self.b = wp.zeros(n_out, dtype=float, requires_grad=True)
        self.y = None

    def __call__(self, x):
        if self.y is None:
            self.y = wp.empty((x.shape[0], self.w.shape[1]), dtype=float, requires_grad=True)
        y = self.y
        wp.launch(dense, dim=y.shape, inputs=[x, self.w, self.b], outputs=[y])
        return y

    @property
    def parameters(self):
        return [self.w, self.b]


class Tanh:
    parameters = ()

    def __call__(self, x):
        y = wp.zeros_like(x)
        wp.launch(activate, dim=x.shape, inputs=[x], outputs=[y])
        return y


class Net:
    def __init__(self, *layers):
        self.layers = list(layers)

    def __call__(self, x):
        for layer in self.layers:
            x = layer(x)
        return x

    @property
    def parameters(self):
        return [p for layer in self.layers for p in layer.parameters]


class Trainer:
    def __init__(self, net, x, t, lr=0.05):
        self.net, self.x, self.t, self.lr = net, x, t, lr
        self.loss = wp.zeros(1, dtype=float, requires_grad=True)
        self.tape = None

    def forward(self):
        self.loss.zero_()
        y = self.net(self.x)
        wp.launch(mse, dim=y.shape, inputs=[y, self.t], outputs=[self.loss])

    def train_step(self):
        self.tape = wp.Tape()
        with self.tape:
            self.forward()
        self.tape.backward(self.loss)
        grads = [p.grad.numpy().copy() for p in self.net.parameters]
        self.tape.zero()
        return grads


def build(b):
    rng = np.random.default_rng(0)
    net = Net(Linear(rng, 2, 3), Tanh(), Linear(rng, 3, 1))
    net.layers[0].b.assign(np.asarray(b, dtype=np.float32))
    x = wp.array(rng.normal(size=(4, 2)), dtype=float)
    t = wp.array(rng.normal(size=(4, 1)), dtype=float)
    return Trainer(net, x, t)


def loss_of(b, record=False):
    trainer = build(b)
    if record:
        for _ in range(3):
            grads = trainer.train_step()
        return grads[1]
    trainer.forward()
    return float(trainer.loss.numpy()[0])


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
    x0 = [0.1, -0.2, 0.3]
    report(loss_of(x0, record=True), central_difference(loss_of, x0))
