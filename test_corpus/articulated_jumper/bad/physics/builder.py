from __future__ import annotations

import warp as wp

from .model import Model


class ModelBuilder:
    def __init__(self):
        self.q: list[float] = []
        self.ke: list[float] = []
        self.kd: list[float] = []
        self.armature: list[float] = []
        self.limit: list[float] = []

    def add_joint(self, q=0.0, ke=10.0, kd=0.5, armature=0.2, limit=1.5) -> int:
        self.q.append(q)
        self.ke.append(ke)
        self.kd.append(kd)
        self.armature.append(armature)
        self.limit.append(limit)
        return len(self.q) - 1

    def finalize(self, device=None, requires_grad: bool = False) -> Model:
        m = Model(device)
        m.requires_grad = requires_grad
        m.joint_count = len(self.q)
        with wp.ScopedDevice(device):
            m.joint_q = wp.array(self.q, dtype=wp.float64, requires_grad=requires_grad)
            m.joint_qd = wp.zeros(m.joint_count, dtype=wp.float64, requires_grad=requires_grad)
            m.joint_target = wp.zeros(m.joint_count, dtype=wp.float64, requires_grad=requires_grad)
            m.joint_ke = wp.array(self.ke, dtype=wp.float64, requires_grad=requires_grad)
            m.joint_kd = wp.array(self.kd, dtype=wp.float64, requires_grad=requires_grad)
            m.joint_armature = wp.array(self.armature, dtype=wp.float64)
            m.joint_limit = wp.array(self.limit, dtype=wp.float64)
        return m
