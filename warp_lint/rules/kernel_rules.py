"""Registry of the rules that look at one kernel."""

from __future__ import annotations

from warp_lint.kernels.problems import Rule
from warp_lint.rules import (
    adj101_inplace_multiply,
    adj102_self_overwrite,
    adj103_overwritten_read,
    adj104_component_reassignment,
    adj105_loop_carried_value,
    adj106_loop_result,
    adj107_loop_exit,
    adj108_local_array,
    adj109_undifferentiated_atomic,
    adj110_neighbour_update,
    adj111_struct_component_write,
    adj201_adjoint_assigned,
    adj202_adjoint_missing,
    adj203_replayed_side_effect,
    adj204_native_without_adjoint,
    adj205_gradient_in_kernel,
    adj501_where_nan,
    adj502_singular_norm,
    adj503_flat_operation,
)

RULES: tuple[Rule, ...] = (
    adj101_inplace_multiply.check,
    adj102_self_overwrite.check,
    adj103_overwritten_read.check,
    adj104_component_reassignment.check,
    adj105_loop_carried_value.check,
    adj106_loop_result.check,
    adj107_loop_exit.check,
    adj108_local_array.check,
    adj109_undifferentiated_atomic.check,
    adj110_neighbour_update.check,
    adj111_struct_component_write.check,
    adj201_adjoint_assigned.check,
    adj202_adjoint_missing.check,
    adj203_replayed_side_effect.check,
    adj204_native_without_adjoint.check,
    adj205_gradient_in_kernel.check,
    adj501_where_nan.check,
    adj502_singular_norm.check,
    adj503_flat_operation.check,
)
