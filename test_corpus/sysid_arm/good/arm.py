"""A two-link arm without gravity, with joint friction; links are driven by recorded torques."""

import warp as wp

vec2 = wp.vec2d
f64 = wp.float64


@wp.func
def mass_matrix(q: vec2, m: vec2):
    c = wp.cos(q[1])
    a = m[0] + m[1] * (f64(2.0) + f64(2.0) * c)
    b = m[1] * (f64(1.0) + c)
    return wp.mat22d(a + f64(0.1), b, b, m[1] + f64(0.1))


@wp.func
def coriolis(q: vec2, qd: vec2, m: vec2):
    s = m[1] * wp.sin(q[1])
    return vec2(-s * qd[1] * (f64(2.0) * qd[0] + qd[1]), s * qd[0] * qd[0])


@wp.kernel
def step(
    q: wp.array(dtype=vec2),
    qd: wp.array(dtype=vec2),
    torque: wp.array2d(dtype=vec2),
    time: int,
    link_mass: wp.array(dtype=vec2),
    friction: wp.array(dtype=f64),
    dt: f64,
    q_next: wp.array(dtype=vec2),
    qd_next: wp.array(dtype=vec2),
):
    trial = wp.tid()
    m = link_mass[0]
    w = qd[trial]
    tau = torque[time, trial] - friction[0] * w - coriolis(q[trial], w, m)
    qdd = wp.inverse(mass_matrix(q[trial], m)) * tau
    w = w + dt * qdd
    qd_next[trial] = w
    q_next[trial] = q[trial] + dt * w


@wp.kernel
def residual(q: wp.array(dtype=vec2), measured: wp.array2d(dtype=vec2), time: int, r: wp.array2d(dtype=vec2)):
    trial = wp.tid()
    r[time, trial] = q[trial] - measured[time, trial]


@wp.kernel
def sum_of_squares(r: wp.array2d(dtype=vec2), total: wp.array(dtype=f64)):
    time, trial = wp.tid()
    wp.atomic_add(total, 0, wp.length_sq(r[time, trial]))


@wp.kernel
def robust_mean(r: wp.array2d(dtype=vec2), total: wp.array(dtype=f64), loss: wp.array(dtype=f64)):
    """Residuals relative to their own spread."""
    time, trial = wp.tid()
    n = f64(r.shape[0] * r.shape[1])
    spread = wp.sqrt(total[0] / n + f64(1.0e-8))
    scaled = wp.length_sq(r[time, trial]) / spread
    wp.atomic_add(loss, 0, scaled / (f64(1.0) + scaled) / n)
