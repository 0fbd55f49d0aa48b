"""Target angles of a jumper's joints by gradient descent through the simulation."""

import argparse
import sys
from pathlib import Path

import numpy as np
import warp as wp

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import physics  # noqa: E402

wp.config.quiet = True


@wp.kernel
def height_loss(q: wp.array(dtype=wp.float64), qd: wp.array(dtype=wp.float64), loss: wp.array(dtype=wp.float64)):
    j = wp.tid()
    wp.atomic_add(loss, 0, -wp.sin(q[j]) - wp.float64(0.1) * qd[j])


@wp.kernel
def descend(x: wp.array(dtype=wp.float64), g: wp.array(dtype=wp.float64), rate: wp.float64):
    i = wp.tid()
    x[i] = x[i] - rate * g[i]


class Example:
    def __init__(self, ke=(12.0, 9.0, 15.0), target=(0.8, -0.4, 0.6), steps=5):
        builder = physics.ModelBuilder()
        for k in ke:
            builder.add_joint(q=0.1, ke=k)
        self.model = builder.finalize(requires_grad=True)
        self.solver = physics.SolverEuler(self.model)
        self.control = self.model.control()
        self.control.joint_target.assign(np.array(target))
        self.states = [self.model.state() for _ in range(steps + 1)]
        self.steps = steps
        self.dt = 0.05
        self.loss = wp.zeros(1, dtype=wp.float64, requires_grad=True)
        self.frame = 0

    def forward(self):
        self.loss.zero_()
        for t in range(self.steps):
            self.states[t].clear_forces()
            self.solver.step(self.states[t], self.states[t + 1], self.control, self.dt)
        end = self.states[-1]
        wp.launch(height_loss, dim=self.model.joint_count, inputs=[end.joint_q, end.joint_qd], outputs=[self.loss])
        return self.loss

    def step(self):
        tape = wp.Tape()
        with tape:
            self.forward()
        tape.backward(loss=self.loss)
        self.seen = {
            "target": (self.control.joint_target.numpy().copy(), self.control.joint_target.grad.numpy().copy()),
            "ke": (self.model.joint_ke.numpy().copy(), self.model.joint_ke.grad.numpy().copy()),
        }
        target = self.control.joint_target
        wp.launch(descend, dim=target.shape, inputs=[target, target.grad, 0.05])
        self.frame += 1

    def render(self):
        print(f"frame {self.frame}: loss {self.loss.numpy()[0]:.5f}")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(formatter_class=argparse.ArgumentDefaultsHelpFormatter)
    parser.add_argument("--num_frames", type=int, default=2, help="Total number of frames.")
    parser.add_argument("--verbose", action="store_true", help="Print the loss of each frame.")
    args = parser.parse_known_args()[0]

    example = Example()
    for _ in range(args.num_frames):
        example.step()
        if args.verbose:
            example.render()

    at = {name: value for name, (value, _) in example.seen.items()}
    for name, (value, gradient) in example.seen.items():
        fd = []
        for e in 1e-6 * np.eye(len(value)):
            high = Example(**{**at, name: value + e}).forward().numpy()[0]
            low = Example(**{**at, name: value - e}).forward().numpy()[0]
            fd.append((high - low) / 2e-6)
        print(f"AD {name} =", gradient.round(8).tolist())
        print(f"FD {name} =", np.round(fd, 8).tolist())
