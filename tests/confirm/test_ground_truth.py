"""A part of the ground truth through the kernel confirmer; `tests/confirm_scoreboard.py` runs all of it."""

from __future__ import annotations

import pytest

from tests import confirm_scoreboard as scoreboard
from tests.confirm.support import options
from warp_lint.findings import Status

VERSION = pytest.importorskip("warp").__version__

EVERY = 8  # programs are taken in steps of this many, per area
BY_LUCK = "right only because of its inputs"
NOT_IN_A_KERNEL = "the mistake is between launches"
EXPECTED = {
    "05_intra_war/38_array_swap_t_a0_a0_a1_a1_t_linear.py": "one thread writes what another reads",
    "21_extra/25_dyn_break_that_fires.py": BY_LUCK,
    "15_struct/26_struct_scalar_member_mutated_launch_before_b.py": NOT_IN_A_KERNEL,
    "14_custom_grad/15_counter_stored_to_int_array_in_one_kernel_us.py": "one of its kernels writes integers only",
}


def test_wrong_programs_are_confirmed_and_right_ones_refuted(tmp_path_factory: pytest.TempPathFactory) -> None:
    if VERSION not in scoreboard.rows(scoreboard.AREAS)[0]:
        pytest.skip(f"the table has no column for Warp {VERSION}")
    chosen = [row for row in scoreboard.rows(scoreboard.AREAS)[::EVERY] if row["path"] not in EXPECTED]
    assert len(chosen) > 40
    wrong = []
    for row, found in scoreboard.confirm(chosen, options(tmp_path_factory.mktemp("cache"))):
        outcome, shown = scoreboard.judge(row, found, VERSION)
        if outcome not in ("ok", "skipped"):
            wrong.append((row["path"], outcome, shown.verdict if shown is not None else None))
        elif (
            outcome == "ok"
            and VERSION == "1.19.0"  # for which the table names the arrays
            and shown is not None
            and shown.verdict is not None
            and shown.verdict.status is Status.CONFIRMED
        ):
            # The array whose gradient is wrong is one that the table names.
            array = shown.verdict.where.partition("[")[0].rpartition(".")[2]
            if array not in row["wrong_params"].split(","):
                wrong.append((row["path"], array, row["wrong_params"]))
    assert wrong == []
