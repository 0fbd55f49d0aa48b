"""A height field seen through fog: shading, exposure and a loss against a photo, in one file.

Learnable: albedo of each texel, density of each fog layer, and the position of the lamp.
"""

import math

import numpy as np
import warp as wp

wp.config.quiet = True

WIDTH = 6
LAYERS = 20
f64 = wp.float64


@wp.struct
class Lamp:
    power: wp.float64
    ambient: wp.float64


@wp.func
def surface(u: f64):
    """Height of the terrain at u."""
    return f64(0.3) * wp.sin(f64(2.0) * u) + f64(0.1) * wp.cos(f64(5.0) * u)


@wp.func
def slope(u: f64):
    return f64(0.6) * wp.cos(f64(2.0) * u) - f64(0.5) * wp.sin(f64(5.0) * u)


@wp.func
def lambert(n: wp.vec2d, to_lamp: wp.vec2d):
    """Cosine of the angle of incidence over squared distance, none from behind."""
    cosine = wp.dot(n, to_lamp) / wp.length(to_lamp)
    return wp.max(cosine, f64(0.0)) / (f64(1.0) + wp.length_sq(to_lamp))


@wp.func
def row_total(values: wp.array(dtype=wp.float64), n: int):
    total = f64(0.0)
    for i in range(n):
        total += values[i]
    return total


@wp.kernel
def shade(
    albedo: wp.array(dtype=wp.float64),
    lamp_at: wp.array(dtype=wp.vec2d),
    lamp: Lamp,
    radiance: wp.array(dtype=wp.float64),
):
    i = wp.tid()
    u = f64(i) * f64(0.5)
    point = wp.vec2d(u, surface(u))
    normal = wp.normalize(wp.vec2d(-slope(u), f64(1.0)))
    to_lamp = lamp_at[0] - point
    radiance[i] = albedo[i] * (lamp.power * lambert(normal, to_lamp) + lamp.ambient)


@wp.kernel
def fog(
    radiance: wp.array(dtype=wp.float64),
    layer: wp.array(dtype=wp.float64),
    layers: int,
    through: wp.array2d(dtype=wp.float64),
    seen: wp.array(dtype=wp.float64),
):
    """Light of each texel through the layers of fog, front to back, with the layers' own glow."""
    i = wp.tid()
    glow = f64(0.0)
    for k in range(layers):
        glow += through[i, k] * layer[k] * f64(0.02)
        through[i, k + 1] = through[i, k] * wp.exp(-layer[k] * f64(0.1))
    seen[i] = radiance[i] * through[i, layers] + glow


@wp.kernel
def gamma(linear: wp.array(dtype=wp.float64), exponent: f64, encoded: wp.array(dtype=wp.float64)):
    i = wp.tid()
    x = linear[i]
    if x > f64(0.0):
        encoded[i] = wp.pow(x, exponent)


@wp.kernel
def expose(seen: wp.array(dtype=wp.float64), width: int, exposed: wp.array(dtype=wp.float64)):
    i = wp.tid()
    mean = row_total(seen, width) / f64(width)
    exposed[i] = seen[i] / (mean + f64(0.1))


@wp.kernel
def compare(image: wp.array(dtype=wp.float64), photo: wp.array(dtype=wp.float64), loss: wp.array(dtype=wp.float64)):
    i = wp.tid()
    d = image[i] - photo[i]
    wp.atomic_add(loss, 0, d * d)


class Scene:
    """Parameters as Warp arrays; `loss()` renders and compares."""

    def __init__(self, albedo, layer, lamp_at):
        self.albedo = wp.array(albedo, dtype=wp.float64, requires_grad=True)
        self.layer = wp.array(layer, dtype=wp.float64, requires_grad=True)
        self.lamp_at = wp.array([lamp_at], dtype=wp.vec2d, requires_grad=True)
        self.lamp = Lamp()
        self.lamp.power = 6.0
        self.lamp.ambient = 0.0
        self.photo = wp.array([0.9 + 0.3 * math.sin(i) for i in range(WIDTH)], dtype=wp.float64)

    def image(self):
        return wp.zeros(WIDTH, dtype=wp.float64, requires_grad=True)

    def loss(self):
        radiance, seen, encoded, exposed = (self.image() for _ in range(4))
        wp.launch(shade, dim=WIDTH, inputs=[self.albedo, self.lamp_at, self.lamp], outputs=[radiance])
        wp.launch(gamma, dim=WIDTH, inputs=[radiance, 0.45], outputs=[encoded])
        through = wp.ones((WIDTH, LAYERS + 1), dtype=wp.float64, requires_grad=True)
        wp.launch(fog, dim=WIDTH, inputs=[encoded, self.layer, LAYERS], outputs=[through, seen])
        wp.launch(expose, dim=WIDTH, inputs=[seen, WIDTH], outputs=[exposed])
        loss = wp.zeros(1, dtype=wp.float64, requires_grad=True)
        wp.launch(compare, dim=WIDTH, inputs=[exposed, self.photo], outputs=[loss])
        return loss


def parameters():
    return {
        "albedo": np.array([0.8, 0.4, 0.6, 0.9, 0.3, 0.5]),
        "layer": np.concatenate([np.full(LAYERS - 3, 0.4), [0.0, 0.9, 1.4]]),
        "lamp_at": np.array([0.2, 0.3]),
    }


def main():
    scene = Scene(**parameters())
    tape = wp.Tape()
    with tape:
        loss = scene.loss()
    tape.backward(loss)

    for name in parameters():
        print(f"AD {name} =", getattr(scene, name).grad.numpy().flatten().round(7).tolist())
        differences = []
        for k in range(len(parameters()[name])):
            side = []
            for h in (1e-6, -1e-6):
                moved = parameters()
                moved[name][k] += h
                side.append(Scene(**moved).loss().numpy()[0])
            differences.append((side[0] - side[1]) / 2e-6)
        print(f"FD {name} =", np.round(differences, 7).tolist())


if __name__ == "__main__":
    main()
