"""Gray-Scott reaction and diffusion on a ring of cells."""

import warp as wp


@wp.struct
class Rates:
    diffusion: wp.float64
    dt: wp.float64


@wp.kernel
def react(
    u: wp.array(dtype=wp.vec2d),
    feed: wp.array(dtype=wp.float64),
    kill: wp.array(dtype=wp.float64),
    rates: Rates,
    u_next: wp.array(dtype=wp.vec2d),
):
    i = wp.tid()
    n = u.shape[0]
    c = u[i]
    spread = u[(i + 1) % n] + u[(i + n - 1) % n] - wp.float64(2.0) * c
    r = c[0] * c[1] * c[1]
    da = -r + feed[0] * (wp.float64(1.0) - c[0])
    db = r - (feed[0] + kill[0]) * c[1]
    u_next[i] = c + rates.dt * (rates.diffusion * spread + wp.vec2d(da, db))


@wp.kernel
def pattern(u: wp.array(dtype=wp.vec2d), target: wp.array(dtype=wp.float64), loss: wp.array(dtype=wp.float64)):
    i = wp.tid()
    d = u[i][1] - target[i]
    wp.atomic_add(loss, 0, d * d)
