"""The measured programs: what the linter must get right on them. The floors only rise."""

from __future__ import annotations

from collections import Counter

import pytest

from .scoreboard import KERNEL_AREAS, score

# Whether a break is taken is a question of values; so is everything that decides this one.
VALUES = {"21_extra/25_dyn_break_that_fires.py"}
# Facts of the host side that the kernel rules alone can't know: arrays without a gradient, a changed struct.
HOST = {
    "01_inplace_array/40_a_idiv_b_b_not_differentiable.py",
    "01_inplace_array/41_a_a_mul_b_b_not_differentiable.py",
    "15_struct/26_struct_scalar_member_mutated_launch_before_b.py",
}


@pytest.mark.parametrize("version", ["1.19.0", "1.17.0", "1.16.0", "1.13.0"])
def test_kernel_rules_alone(version: str) -> None:
    results = score(version, KERNEL_AREAS, kernel_only=True)
    off = {row.path for row, outcome, _ in results if outcome not in ("right", "free")}
    assert off == VALUES | HOST


def test_kernel_rules_for_the_oldest_warp() -> None:
    results = score("1.12.0", KERNEL_AREAS, kernel_only=True)
    off = {row.path for row, outcome, _ in results if outcome not in ("right", "free")}
    # Which outputs reach the loss decides whether an uncleared adjoint matters.
    outputs = {
        "05_intra_war/03_b_a_mul_3_a_1_linear_read_loss_b.py",
        "05_intra_war/07_x_a_a_0_b_3x_loss_b.py",
        "05_intra_war/11_b_3a_a_a_mul_2_both_linear_loss_b.py",
    }
    assert off == VALUES | outputs | {"15_struct/26_struct_scalar_member_mutated_launch_before_b.py"}


def test_whole_engine() -> None:
    results = score("1.19.0", None)
    counts = Counter(outcome for _, outcome, _ in results)
    assert counts["right"] >= 524, sorted(row.path for row, o, _ in results if o not in ("right", "free"))
    assert counts["missed"] <= 2
