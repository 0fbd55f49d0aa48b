"""Rays through a thin lens with a phase plate, as Warp kernels."""

import warp as wp


@wp.kernel
def refract(
    height: wp.array(dtype=wp.float64),
    plate: wp.array(dtype=wp.float64),
    focal: wp.float64,
    angle: wp.array(dtype=wp.float64),
):
    ray = wp.tid()
    h = height[ray]
    bend = plate[0] * h + plate[1] * h * h * h
    angle[ray] = wp.atan(-h / focal + bend)


@wp.kernel
def propagate(
    height: wp.array(dtype=wp.float64),
    angle: wp.array(dtype=wp.float64),
    distance: wp.float64,
    arrived: wp.array(dtype=wp.float64),
):
    ray = wp.tid()
    arrived[ray] = height[ray] + distance * wp.tan(angle[ray])
