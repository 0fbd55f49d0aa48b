"""Element energies as kernels made by a factory, one per material law."""

from __future__ import annotations

from typing import Callable

import warp as wp


@wp.func
def linear(strain: wp.float64, k: wp.float64):
    return wp.float64(0.5) * k * strain * strain


@wp.func
def stiffening(strain: wp.float64, k: wp.float64):
    return k * (wp.cosh(strain) - wp.float64(1.0))


@wp.func
def linear_slope(strain: wp.float64, k: wp.float64):
    return k * strain


@wp.func
def stiffening_slope(strain: wp.float64, k: wp.float64):
    return k * wp.sinh(strain)


def make_force_kernel(slope: wp.Function) -> wp.Kernel:
    """Kernel that adds the tension of rods with the material law's slope."""

    @wp.kernel(module="unique")
    def forces(
        x: wp.array[wp.vec2d],
        rods: wp.array[wp.vec2i],
        k: wp.array[wp.float64],
        f: wp.array[wp.vec2d],
    ):
        r = wp.tid()
        a = rods[r][0]
        b = rods[r][1]
        d = x[b] - x[a]
        length = wp.length(d)
        tension = slope(length - wp.float64(0.5), k[r])
        t = wp.normalize(d) * tension
        wp.atomic_add(f, a, t)
        wp.atomic_sub(f, b, t)

    return forces


LAWS: dict[str, wp.Kernel] = {
    "linear": make_force_kernel(linear_slope),
    "stiffening": make_force_kernel(stiffening_slope),
}
