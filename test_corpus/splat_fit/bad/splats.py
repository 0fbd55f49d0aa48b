"""Gaussian splats in the plane (the third coordinate is an opacity): drawing, normalisation and an image loss."""

import warp as wp


@wp.struct
class Camera:
    width: int
    height: int
    zoom: float


@wp.func
def pixel_position(camera: Camera, i: int, j: int):
    u = (float(i) + 0.5) / float(camera.width)
    v = (float(j) + 0.5) / float(camera.height)
    return (wp.vec2(u, v) - wp.vec2(0.5, 0.5)) * camera.zoom


@wp.kernel
def draw(
    camera: Camera,
    centre: wp.array(dtype=wp.vec3),
    log_size: wp.array(dtype=float),
    colour: wp.array(dtype=wp.vec3),
    canvas: wp.array2d(dtype=wp.vec3),
    coverage: wp.array2d(dtype=float),
):
    i, j, s = wp.tid()
    d = pixel_position(camera, i, j) - wp.vec2(centre[s][0], centre[s][1])
    size = wp.exp(log_size[s])
    w = wp.exp(centre[s][2] - wp.length_sq(d) / (size * size))
    wp.atomic_add(canvas, i, j, w * colour[s])
    wp.atomic_add(coverage, i, j, w)


@wp.kernel
def resolve(canvas: wp.array2d(dtype=wp.vec3), coverage: wp.array2d(dtype=float)):
    i, j = wp.tid()
    canvas[i, j] /= coverage[i, j] + 0.05


@wp.kernel
def l2(image: wp.array2d(dtype=wp.vec3), target: wp.array2d(dtype=wp.vec3), loss: wp.array(dtype=float)):
    i, j = wp.tid()
    wp.atomic_add(loss, 0, wp.length_sq(image[i, j] - target[i, j]))
