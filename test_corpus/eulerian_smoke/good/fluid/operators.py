import warp as wp


@wp.func
def clamped(f: wp.array2d(dtype=float), i: int, j: int):
    return f[wp.clamp(i, 0, f.shape[0] - 1), wp.clamp(j, 0, f.shape[1] - 1)]


@wp.func
def sample(f: wp.array2d(dtype=float), x: float, y: float):
    """Bilinear interpolation at a position in cells."""
    i = int(wp.floor(x))
    j = int(wp.floor(y))
    a = x - float(i)
    b = y - float(j)
    lower = (1.0 - a) * clamped(f, i, j) + a * clamped(f, i + 1, j)
    upper = (1.0 - a) * clamped(f, i, j + 1) + a * clamped(f, i + 1, j + 1)
    return (1.0 - b) * lower + b * upper


@wp.kernel
def advect(
    u: wp.array2d(dtype=wp.vec2),
    f: wp.array2d(dtype=float),
    dt: float,
    out: wp.array2d(dtype=float),
):
    i, j = wp.tid()
    back = wp.vec2(float(i), float(j)) - dt * u[i, j]
    out[i, j] = sample(f, back[0], back[1])


@wp.kernel
def lift(
    u: wp.array2d(dtype=wp.vec2),
    smoke: wp.array2d(dtype=float),
    buoyancy: wp.array(dtype=float),
    dt: float,
    out: wp.array2d(dtype=wp.vec2),
):
    i, j = wp.tid()
    s = smoke[i, j]
    out[i, j] = u[i, j] + dt * buoyancy[0] * wp.vec2(0.0, s * (1.0 + 0.5 * s))


@wp.kernel
def divergence(u: wp.array2d(dtype=wp.vec2), out: wp.array2d(dtype=float)):
    i, j = wp.tid()
    n, m = u.shape[0], u.shape[1]
    ux = u[wp.min(i + 1, n - 1), j][0] - u[wp.max(i - 1, 0), j][0]
    uy = u[i, wp.min(j + 1, m - 1)][1] - u[i, wp.max(j - 1, 0)][1]
    out[i, j] = 0.5 * (ux + uy)


@wp.kernel
def jacobi(p: wp.array2d(dtype=float), div: wp.array2d(dtype=float), out: wp.array2d(dtype=float)):
    i, j = wp.tid()
    around = clamped(p, i - 1, j) + clamped(p, i + 1, j) + clamped(p, i, j - 1) + clamped(p, i, j + 1)
    out[i, j] = 0.25 * (around - div[i, j])


@wp.kernel
def project(u: wp.array2d(dtype=wp.vec2), p: wp.array2d(dtype=float), out: wp.array2d(dtype=wp.vec2)):
    i, j = wp.tid()
    gx = clamped(p, i + 1, j) - clamped(p, i - 1, j)
    gy = clamped(p, i, j + 1) - clamped(p, i, j - 1)
    out[i, j] = u[i, j] - 0.5 * wp.vec2(gx, gy)


@wp.kernel
def dissolve(rate: wp.array(dtype=float), dt: float, smoke: wp.array2d(dtype=float), out: wp.array2d(dtype=float)):
    i, j = wp.tid()
    out[i, j] = smoke[i, j] * wp.exp(-rate[0] * dt)


@wp.kernel
def match(smoke: wp.array2d(dtype=float), keyframe: wp.array2d(dtype=float), loss: wp.array(dtype=float)):
    i, j = wp.tid()
    d = smoke[i, j] - keyframe[i, j]
    wp.atomic_add(loss, 0, d * d)
