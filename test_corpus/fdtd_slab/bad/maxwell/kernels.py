import warp as wp

F = wp.array(dtype=wp.float64)
F2 = wp.array2d(dtype=wp.float64)


@wp.kernel
def update_coefficient(eps: F, sigma: F, courant: wp.float64, ca: F, cb: F):
    """Coefficients of the lossy update of E, per cell."""
    i = wp.tid()
    loss = wp.float64(0.5) * sigma[i] / eps[i]
    ca[i] = (wp.float64(1.0) - loss) / (wp.float64(1.0) + loss)
    cb[i] = courant / eps[i] / (wp.float64(1.0) + loss)


@wp.kernel
def step_h(e: F2, h: F2, courant: wp.float64, t: int):
    i = wp.tid()
    h[t + 1, i] = h[t, i] + courant * (e[t, i + 1] - e[t, i])


@wp.kernel
def step_e(h: F2, e: F2, ca: F, cb: F, t: int):
    i = wp.tid()
    n = e.shape[1]
    if i > 0 and i < n - 1:
        e[t + 1, i] = ca[i] * e[t, i] + cb[i] * (h[t + 1, i] - h[t + 1, i - 1])


@wp.kernel
def inject(e: F2, amplitude: F, cell: int, pulse: wp.float64, t: int):
    e[t + 1, cell] += amplitude[0] * pulse


@wp.kernel
def record(e: F2, cell: int, trace: F):
    t = wp.tid()
    trace[t] = e[t, cell]


@wp.kernel
def misfit(trace: F, measured: F, loss: F):
    t = wp.tid()
    d = trace[t] - measured[t]
    wp.atomic_add(loss, 0, d * d)
