from __future__ import annotations

import warp as wp

from .kernels import eval_coupling, eval_drives, integrate_joints
from .model import Control, Model, State
from .solver import SolverBase


class SolverEuler(SolverBase):
    def __init__(self, model: Model, coupling: float = 2.0):
        super().__init__(model)
        self.coupling = coupling

    def eval_forces(self, state: State, control: Control) -> wp.array:
        model = self.model
        f = state.joint_f
        wp.launch(
            kernel=eval_drives,
            dim=model.joint_count,
            inputs=[
                state.joint_q,
                state.joint_qd,
                control.joint_target,
                model.joint_ke,
                model.joint_kd,
                model.joint_limit,
            ],
            outputs=[f],
            device=model.device,
        )
        wp.launch(
            kernel=eval_coupling,
            dim=model.joint_count - 1,
            inputs=[state.joint_q, self.coupling],
            outputs=[f],
            device=model.device,
        )
        return f

    def step(self, state_in: State, state_out: State, control: Control | None, dt: float) -> None:
        model = self.model
        control = control if control is not None else model.control()
        f = self.eval_forces(state_in, control)
        wp.launch(
            kernel=integrate_joints,
            dim=model.joint_count,
            inputs=[state_in.joint_q, state_in.joint_qd, f, model.joint_armature, dt],
            outputs=[state_out.joint_q, state_out.joint_qd],
            device=model.device,
        )
