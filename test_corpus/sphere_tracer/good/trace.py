"""Sphere tracing of a blobby surface; the position and size of blobs are fitted to depths.

The march finds the hit without gradients; one Newton step from there carries them.
"""

import numpy as np
import warp as wp

wp.config.quiet = True

d = wp.float64
vec3 = wp.vec3d
EPS = wp.constant(wp.float64(1.0e-9))


@wp.struct
class Blob:
    centre: vec3
    radius: d


@wp.func
def distance(p: vec3, blob: Blob):
    return wp.length(p - blob.centre) - blob.radius


@wp.func
def smooth_min(a: d, b: d, k: d):
    h = wp.clamp(d(0.5) + d(0.5) * (b - a) / k, d(0.0), d(1.0))
    return b * (d(1.0) - h) + a * h - k * h * (d(1.0) - h)


@wp.func
def blob_at(centre: wp.array(dtype=vec3), radius: wp.array(dtype=d), k: int):
    b = Blob()
    b.centre = centre[k]
    b.radius = radius[k]
    return b


@wp.func
def scene(p: vec3, centre: wp.array(dtype=vec3), radius: wp.array(dtype=d)):
    return smooth_min(distance(p, blob_at(centre, radius, 0)), distance(p, blob_at(centre, radius, 1)), d(0.3))


@wp.kernel(enable_backward=False)
def march(
    direction: wp.array(dtype=vec3),
    centre: wp.array(dtype=vec3),
    radius: wp.array(dtype=d),
    depth: wp.array(dtype=d),
):
    """Depth along each ray from the origin; not differentiated."""
    ray = wp.tid()
    t = d(0.0)
    for _ in range(200):
        step = scene(t * direction[ray], centre, radius)
        if step < EPS:
            break
        t += step
    depth[ray] = t


@wp.kernel
def refine(
    direction: wp.array(dtype=vec3),
    depth: wp.array(dtype=d),
    centre: wp.array(dtype=vec3),
    radius: wp.array(dtype=d),
    refined: wp.array(dtype=d),
):
    """One Newton step with a slope that counts as a constant, which gives the implicit derivative."""
    ray = wp.tid()
    t = depth[ray]
    h = d(1.0e-5)
    ahead = scene((t + h) * direction[ray], centre, radius)
    behind = scene((t - h) * direction[ray], centre, radius)
    slope = (ahead - behind) / (d(2.0) * h)
    refined[ray] = t - scene(t * direction[ray], centre, radius) / slope


@wp.kernel
def shade(
    direction: wp.array(dtype=vec3),
    depth: wp.array(dtype=d),
    sun: wp.array(dtype=vec3),
    tint: wp.array(dtype=d),
    glow: wp.array(dtype=d),
    bounces: int,
    out: wp.array(dtype=d),
):
    ray = wp.tid()
    p = depth[ray] * direction[ray]
    up = vec3(p[0], p[1], p[2] + tint[0])
    lit = wp.dot(wp.normalize(up), sun[0])
    bounce = d(0.0)
    for k in range(bounces):
        bounce += glow[k] * wp.exp(-lit * lit)
    out[ray] = lit + bounce + wp.log(d(1.0) + depth[ray] * depth[ray])


@wp.kernel
def error(out: wp.array(dtype=d), photo: wp.array(dtype=d), loss: wp.array(dtype=d)):
    ray = wp.tid()
    e = out[ray] - photo[ray]
    wp.atomic_add(loss, 0, e * e)


def rays(n=5):
    a = np.linspace(-0.12, 0.16, n)
    v = np.stack([np.sin(a), 0.3 * np.cos(3 * a) - 0.3, np.cos(a)], axis=-1)
    return wp.array(v / np.linalg.norm(v, axis=-1, keepdims=True), dtype=vec3)


def render(centre, radius, sun, tint, glow):
    direction = rays()
    n = direction.shape[0]
    depth = wp.zeros(n, dtype=d)
    refined, out = (wp.zeros(n, dtype=d, requires_grad=True) for _ in range(2))
    wp.launch(march, dim=n, inputs=[direction, centre, radius], outputs=[depth])
    wp.launch(refine, dim=n, inputs=[direction, depth, centre, radius], outputs=[refined])
    wp.launch(shade, dim=n, inputs=[direction, refined, sun, tint, glow, glow.shape[0]], outputs=[out])
    photo = wp.array(np.linspace(1.0, 2.0, n), dtype=d)
    loss = wp.zeros(1, dtype=d, requires_grad=True)
    wp.launch(error, dim=n, inputs=[out, photo], outputs=[loss])
    return loss


PARAMETERS = {
    "radius": (np.array([0.8, 0.6]), d),
    "sun": (np.array([[0.3, 0.8, -0.5]]), vec3),
    "tint": (np.array([0.1]), d),
    "glow": (np.array([0.2, 0.1, 0.3]), d),
    "centre": (np.array([[0.2, 0.0, 3.0], [-0.6, 0.3, 3.3]]), vec3),
}


def build(values, **options):
    return {name: wp.array(values[name], dtype=kind, **options) for name, (_, kind) in PARAMETERS.items()}


def main():
    values = {name: value for name, (value, _) in PARAMETERS.items()}
    leaves = build(values, requires_grad=True)
    tape = wp.Tape()
    with tape:
        loss = render(**leaves)
    tape.backward(loss)

    for name, leaf in leaves.items():
        fd = np.zeros(values[name].shape)
        for k in np.ndindex(fd.shape):
            for h in (1e-6, -1e-6):
                moved = {n: v.copy() for n, v in values.items()}
                moved[name][k] += h
                fd[k] += render(**build(moved)).numpy()[0] / (2.0 * h)
        print(f"AD {name} =", leaf.grad.numpy().flatten().round(5).tolist())
        print(f"FD {name} =", fd.flatten().round(5).tolist())


if __name__ == "__main__":
    main()
