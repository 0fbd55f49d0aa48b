"""The solver: substeps, each with a few iterations over the constraints."""

import constraints
import numpy as np
import warp as wp


def build_rope(compliance: wp.array, nodes: int) -> constraints.Rope:
    rope = constraints.Rope()
    rope.rest = wp.full(nodes - 1, 0.2, dtype=wp.float64)
    rope.inv_mass = wp.array([0.0] + [1.0] * (nodes - 1), dtype=wp.float64)
    rope.compliance = compliance
    return rope


class XpbdSolver:
    def __init__(self, compliance, drag, nodes=5, iterations=3, dt=0.05):
        self.nodes, self.iterations, self.dt = nodes, iterations, dt
        self.compliance = wp.array(compliance, dtype=wp.float64, requires_grad=True)
        self.drag = wp.array([drag], dtype=wp.float64, requires_grad=True)
        self.rope = build_rope(self.compliance, nodes)
        self.x = wp.array([[0.2 * i, 0.0, 0.0] for i in range(nodes)], dtype=wp.vec3d, requires_grad=True)
        self.v = wp.array(np.tile([0.0, 0.5, 0.2], (nodes, 1)), dtype=wp.vec3d, requires_grad=True)

        self.buffers = [self._vec(nodes), self._vec(nodes)]

    def _vec(self, n):
        return wp.zeros(n, dtype=wp.vec3d, requires_grad=True)

    def _scalar(self, n):
        return wp.zeros(n, dtype=wp.float64, requires_grad=True)

    def relax(self, p):
        """Iterate over the constraints; the multipliers start from zero in every substep."""
        n, rope = self.nodes, self.rope
        lam = self._scalar(n - 1)
        for k in range(self.iterations):
            push = self._vec(n - 1)
            wp.launch(constraints.solve_distance, dim=n - 1, inputs=[p, lam, rope, self.dt], outputs=[push])
            p_new = self.buffers[k % 2]
            wp.launch(constraints.apply_push, dim=n, inputs=[p, push, rope], outputs=[p_new])
            p = p_new
        return p

    def substep(self):
        p = self._vec(self.nodes)
        wp.launch(constraints.predict, dim=self.nodes, inputs=[self.x, self.v, self.rope, self.dt], outputs=[p])
        p = self.relax(p)
        v_new = self._vec(self.nodes)
        wp.launch(constraints.finish, dim=self.nodes, inputs=[self.x, p, self.drag, self.dt], outputs=[v_new])
        self.x, self.v = p, v_new

    def swing(self, substeps=4):
        for _ in range(substeps):
            self.substep()
        loss = self._scalar(1)
        wp.launch(constraints.tip_error, dim=1, inputs=[self.x, wp.vec3d(0.6, 0.2, -0.4)], outputs=[loss])
        return loss
