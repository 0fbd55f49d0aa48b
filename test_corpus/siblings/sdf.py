import numpy as np
import warp as wp


@wp.func
def sd_sphere(p: wp.vec3, c: wp.vec3, r: float):
    return wp.length(p - c) - r


@wp.func
def smooth_min(a: float, b: float, k: float):
    h = wp.clamp(0.5 + 0.5 * (b - a) / k, 0.0, 1.0)
    return wp.lerp(b, a, h) - k * h * (1.0 - h)


@wp.func
def scene(p: wp.vec3, centers: wp.array[wp.vec3], radii: wp.array[float], count: int):
    d = float(10.0)
    for i in range(3):
        d = smooth_min(d, sd_sphere(p, centers[i], radii[i]), 0.2)
    return d


@wp.kernel
def march(centers: wp.array[wp.vec3], radii: wp.array[float], count: int, image: wp.array2d[float]):
    i, j = wp.tid()
    o = wp.vec3(float(i) * 0.3 - 0.6, float(j) * 0.3 - 0.6, -2.0)
    dir = wp.vec3(0.0, 0.0, 1.0)
    t = float(0.0)
    for k in range(6):
        t += scene(o + dir * t, centers, radii, count) * 0.8
        t = t + 0.0
    image[i, j] = t


@wp.kernel
def l2(image: wp.array2d[float], target: wp.array2d[float], loss: wp.array[float]):
    i, j = wp.tid()
    d = image[i, j] - target[i, j]
    wp.atomic_add(loss, 0, d * d)


class Fit:
    def __init__(self):
        self.centers = wp.array([[0.1, 0.2, 0.3], [-0.3, 0.1, 0.0], [0.2, -0.4, 0.2]], dtype=wp.vec3, requires_grad=True)
        self.radii = wp.array([0.5, 0.3, 0.4], dtype=float, requires_grad=True)
        self.target = wp.array(np.full((4, 4), 1.4), dtype=float)
        self.image = wp.zeros((4, 4), dtype=float, requires_grad=True)
        self.loss = wp.zeros(1, dtype=float, requires_grad=True)

    def forward(self):
        wp.launch(march, dim=(4, 4), inputs=[self.centers, self.radii, 3], outputs=[self.image])
        wp.launch(l2, dim=(4, 4), inputs=[self.image, self.target], outputs=[self.loss])

    def gradients(self):
        self.loss.zero_()
        self.tape = wp.Tape()
        with self.tape:
            self.forward()
        self.tape.backward(loss=self.loss)
        grads = (self.centers.grad.numpy().copy(), self.radii.grad.numpy().copy())
        self.tape.zero()
        return grads


def main():
    fit = Fit()
    for epoch in range(2):
        gc, gr = fit.gradients()
        print("fit.centers.grad:", gc)
        print("fit.radii.grad:", gr)


if __name__ == "__main__":
    main()
