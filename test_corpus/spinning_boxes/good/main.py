"""How hard must the ground push so that two spinning boxes land upright?"""

import argparse

import numpy as np
import warp as wp
from rigid import Material, corner_forces, integrate, make_state, upright

wp.config.quiet = True


class Scene:
    def __init__(self, args):
        self.args = args
        self.bodies = 2
        self.half = wp.vec3d(0.3, 0.2, 0.1)
        self.dt = 0.02
        self.states = [make_state(self.bodies) for _ in range(args.steps + 1)]

    def reset(self, state, spin):
        state.position.assign(np.array([[0.0, 0.0, 0.12], [1.0, 0.0, 0.2]]))
        tilted = np.array([0.1, 0.05, 0.0, 1.0])
        state.rotation.assign(np.stack([tilted, tilted * [1, -2, 0, 1]]) / np.linalg.norm(tilted))
        state.linear.zero_()
        state.angular.assign(spin)

    def warm_material(self, k):
        """The ground gets slippery as it warms up."""
        material = Material()
        material.stiffness = 150.0
        material.friction = 0.4 / (1.0 + 0.5 * k)
        return material

    def step(self, state, out, material, scale):
        force = wp.zeros(self.bodies, dtype=wp.vec3d, requires_grad=True)
        torque = wp.zeros(self.bodies, dtype=wp.vec3d, requires_grad=True)
        wp.launch(
            corner_forces,
            dim=(self.bodies, 8),
            inputs=[state, self.half, material, scale],
            outputs=[force, torque],
        )
        wp.launch(
            integrate,
            dim=self.bodies,
            inputs=[state, force, torque, 1.0, 20.0, self.dt],
            outputs=[out],
        )

    def forward(self, scale):
        for k in range(self.args.steps):
            self.step(self.states[k], self.states[k + 1], self.warm_material(k), scale)
        loss = wp.zeros(1, dtype=wp.float64, requires_grad=True)
        wp.launch(upright, dim=self.bodies, inputs=[self.states[-1], 0.2], outputs=[loss])
        return loss


def evaluate(args, scale, spin):
    scene = Scene(args)
    scene.reset(scene.states[0], spin)
    return scene.forward(wp.array(scale, dtype=wp.float64)).numpy()[0]


def main(argv=None):
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--steps", type=int, default=8)
    args = parser.parse_args(argv)

    spin = np.array([[2.0, 0.5, 0.0], [-1.0, 1.5, 0.3]])
    scale = np.array([1.0, 1.5])
    scene = Scene(args)
    scene.reset(scene.states[0], spin)
    scale_wp = wp.array(scale, dtype=wp.float64, requires_grad=True)
    tape = wp.Tape()
    with tape:
        loss = scene.forward(scale_wp)
    tape.backward(loss)
    print("AD scale =", scale_wp.grad.numpy().round(7).tolist())
    print("AD spin =", scene.states[0].angular.grad.numpy().flatten().round(7).tolist())

    h = 1e-6
    fd = [(evaluate(args, scale + h * e, spin) - evaluate(args, scale - h * e, spin)) / (2 * h) for e in np.eye(2)]
    print("FD scale =", np.round(fd, 7).tolist())
    steps = h * np.eye(6).reshape(6, 2, 3)
    fd = [(evaluate(args, scale, spin + e) - evaluate(args, scale, spin - e)) / (2 * h) for e in steps]
    print("FD spin =", np.round(fd, 7).tolist())


if __name__ == "__main__":
    main([])
