from __future__ import annotations

import warp as wp


class State:
    """Time-varying arrays."""

    def __init__(self):
        self.joint_q: wp.array | None = None
        self.joint_qd: wp.array | None = None
        self.joint_f: wp.array | None = None

    def clear_forces(self) -> None:
        if self.joint_f is not None:
            self.joint_f.zero_()


class Control:
    def __init__(self):
        self.joint_target: wp.array | None = None


class Model:
    """Constant arrays and the factory of states."""

    def __init__(self, device=None):
        self.device = wp.get_device(device)
        self.requires_grad = False
        self.joint_count = 0
        self.joint_ke: wp.array | None = None
        self.joint_kd: wp.array | None = None
        self.joint_armature: wp.array | None = None
        self.joint_limit: wp.array | None = None

    def state(self, requires_grad: bool | None = None) -> State:
        grad = self.requires_grad if requires_grad is None else requires_grad
        s = State()
        s.joint_q = wp.clone(self.joint_q, requires_grad=grad)
        s.joint_qd = wp.clone(self.joint_qd, requires_grad=grad)
        s.joint_f = wp.zeros(self.joint_count, dtype=wp.float64, requires_grad=grad, device=self.device)
        return s

    def control(self) -> Control:
        c = Control()
        c.joint_target = wp.clone(self.joint_target, requires_grad=self.requires_grad)
        return c
