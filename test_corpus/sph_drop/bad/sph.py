"""Smoothed-particle kernels of a small drop of fluid."""

import warp as wp

Real = wp.float64
Vec = wp.vec2d


@wp.struct
class Fluid:
    radius: wp.float64
    rest_density: wp.float64
    stiffness: wp.float64


@wp.func
def poly6(r2: Real, h: Real):
    q = wp.max(h * h - r2, Real(0.0))
    return q * q * q


@wp.func
def pair_force(d: Vec, pi: Real, pj: Real, h: Real):
    """Repulsion of two particles at distance d with pressures pi, pj."""
    r2 = wp.length_sq(d) + Real(1.0e-6)
    q = wp.max(h * h - r2, Real(0.0))
    return (pi + pj) * q * q * d


@wp.kernel
def density(x: wp.array(dtype=Vec), fluid: Fluid, rho: wp.array(dtype=Real)):
    i, j = wp.tid()
    d = x[i] - x[j]
    wp.atomic_add(rho, i, poly6(wp.length_sq(d), fluid.radius))


@wp.kernel
def pressure(rho: wp.array(dtype=Real), stiffness: wp.array(dtype=Real), fluid: Fluid, p: wp.array(dtype=Real)):
    i = wp.tid()
    compression = rho[i] / fluid.rest_density - Real(1.0)
    p[i] = stiffness[0] * compression * (Real(1.0) + compression * compression)


@wp.kernel
def pressure_force(x: wp.array(dtype=Vec), p: wp.array(dtype=Real), fluid: Fluid, f: wp.array(dtype=Vec)):
    i, j = wp.tid()
    if i != j:
        wp.atomic_add(f, i, pair_force(x[i] - x[j], p[i], p[j], fluid.radius))


@wp.kernel
def smooth_row(v: wp.array(dtype=Vec), blend: Real):
    """XSPH-like smoothing over the row of particles that the drop starts from."""
    i = wp.tid()
    n = v.shape[0]
    left = v[wp.max(i - 1, 0)]
    right = v[wp.min(i + 1, n - 1)]
    v[i] = (Real(1.0) - blend) * v[i] + blend * Real(0.5) * (left + right)


@wp.kernel
def accelerate(
    v: wp.array(dtype=Vec),
    f: wp.array(dtype=Vec),
    viscosity: wp.array(dtype=Real),
    dt: Real,
    v_out: wp.array(dtype=Vec),
):
    i = wp.tid()
    gravity = Vec(Real(0.0), Real(-9.81))
    damping = wp.exp(-viscosity[0] * dt)
    v_out[i] = v[i] + dt * (f[i] + gravity)
    v_out[i] *= damping


@wp.kernel
def advect(x: wp.array(dtype=Vec), v: wp.array(dtype=Vec), dt: Real, x_out: wp.array(dtype=Vec)):
    i = wp.tid()
    x_out[i] = x[i] + dt * v[i]


@wp.kernel
def bounce(x: wp.array(dtype=Vec), softness: Real):
    """A soft floor at height zero."""
    i = wp.tid()
    p = x[i]
    y = p[1] / softness
    x[i] = Vec(p[0], softness * wp.log(Real(1.0) + wp.exp(y)))


@wp.kernel
def splash(x: wp.array(dtype=Vec), v: wp.array(dtype=Vec), loss: wp.array(dtype=Real)):
    i = wp.tid()
    wp.atomic_add(loss, 0, wp.length_sq(x[i]) + Real(0.1) * wp.length_sq(v[i]))
