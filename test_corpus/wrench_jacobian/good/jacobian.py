"""Jacobian of a planar manipulator's tip by rows, with one tape; and a least-squares step that uses it."""

from contextlib import contextmanager

import numpy as np
import warp as wp

wp.config.quiet = True

JOINTS = 4


@wp.kernel
def forward_kinematics(
    q: wp.array(dtype=wp.float64),
    link: wp.array(dtype=wp.float64),
    angle: wp.array(dtype=wp.float64),
    joint: wp.array(dtype=wp.vec2d),
):
    """One thread walks along the chain; joint[i + 1] from joint[i]."""
    for i in range(q.shape[0]):
        angle[i + 1] = angle[i] + q[i]
        step = wp.vec2d(wp.cos(angle[i + 1]), wp.sin(angle[i + 1])) * link[i]
        joint[i + 1] = joint[i] + step


@wp.kernel
def tip_pose(joint: wp.array(dtype=wp.vec2d), angle: wp.array(dtype=wp.float64), pose: wp.array(dtype=wp.float64)):
    n = joint.shape[0] - 1
    pose[0] = joint[n][0]
    pose[1] = joint[n][1]
    pose[2] = angle[n]


@contextmanager
def recording():
    tape = wp.Tape()
    with tape:
        yield tape


class Arm:
    def __init__(self, q):
        self.q = wp.array(q, dtype=wp.float64, requires_grad=True)
        self.link = wp.array(np.linspace(0.5, 0.2, JOINTS), dtype=wp.float64)

    def pose(self):
        angle = wp.zeros(JOINTS + 1, dtype=wp.float64, requires_grad=True)
        joint = wp.zeros(JOINTS + 1, dtype=wp.vec2d, requires_grad=True)
        pose = wp.zeros(3, dtype=wp.float64, requires_grad=True)
        wp.launch(forward_kinematics, dim=1, inputs=[self.q, self.link], outputs=[angle, joint])
        wp.launch(tip_pose, dim=1, inputs=[joint, angle], outputs=[pose])
        return pose

    def jacobian(self):
        with recording() as tape:
            pose = self.pose()
        rows = []
        for k in range(3):
            seed = wp.array(np.eye(3)[k], dtype=wp.float64)
            tape.backward(grads={pose: seed})
            rows.append(self.q.grad.numpy().copy())
            tape.zero()
        return np.array(rows)


def main():
    q = np.array([0.3, -0.4, 0.9, 0.2])
    arm = Arm(q)
    for _ in range(2):
        at = arm.q.numpy().copy()
        jacobian = arm.jacobian()
        error = np.array([0.6, 0.9, 1.2]) - arm.pose().numpy()
        arm.q.assign(at + 0.5 * np.linalg.pinv(jacobian) @ error)

    h = 1e-6
    fd = np.array([(Arm(at + h * e).pose().numpy() - Arm(at - h * e).pose().numpy()) / (2 * h) for e in np.eye(JOINTS)])
    print("AD jacobian =", jacobian.flatten().round(7).tolist())
    print("FD jacobian =", fd.T.flatten().round(7).tolist())


if __name__ == "__main__":
    main()
