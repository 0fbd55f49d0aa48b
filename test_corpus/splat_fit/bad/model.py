"""A set of splats with the arrays it draws into."""

from functools import cached_property

import numpy as np
import splats
import warp as wp

SIZE = 6


class Picture:
    def __init__(self, centre, log_size, colour):
        self.centre = wp.array(centre, dtype=wp.vec3, requires_grad=True)
        self.log_size = wp.array(log_size, dtype=float, requires_grad=True)
        self.colour = wp.array(colour, dtype=wp.vec3, requires_grad=True)

    @cached_property
    def camera(self):
        camera = splats.Camera()
        camera.width, camera.height, camera.zoom = SIZE, SIZE, 2.0
        return camera

    @property
    def parameters(self):
        return {"centre": self.centre, "log_size": self.log_size, "colour": self.colour}

    @staticmethod
    def target():
        u, v = np.meshgrid(np.linspace(0, 1, SIZE), np.linspace(0, 1, SIZE), indexing="ij")
        return wp.array(np.stack([u, v, 1.0 - u * v], axis=-1), dtype=wp.vec3)

    def render(self):
        canvas = wp.zeros((SIZE, SIZE), dtype=wp.vec3, requires_grad=True)
        coverage = wp.zeros((SIZE, SIZE), dtype=float, requires_grad=True)
        wp.launch(
            splats.draw,
            dim=(SIZE, SIZE, self.centre.shape[0]),
            inputs=[self.camera, self.centre, self.log_size, self.colour],
            outputs=[canvas, coverage],
        )
        wp.launch(splats.resolve, dim=(SIZE, SIZE), inputs=[canvas, coverage])
        return canvas

    def loss(self, target, loss):
        wp.launch(splats.l2, dim=(SIZE, SIZE), inputs=[self.render(), target], outputs=[loss])
