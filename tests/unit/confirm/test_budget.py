"""What checks may cost, beside the program's own time."""

from __future__ import annotations

import pytest

from warp_lint.confirm.live.budget import AGAIN, BASE, SHARE, Budget


def run(budget: Budget, before: float, each: float, fixed: float, passes: int) -> tuple[float, float, int]:
    """Passes of a program that takes `before` seconds and `each` per pass; checks take `fixed` at least, and all
    that they may. Returns the program's time, the checks' and how many there were."""
    own, spent, checked = before, 0.0, 0
    for number in range(1, passes + 1):
        own += each
        seconds = budget.next(own, spent, number, "site")
        if seconds is not None:
            cost = max(fixed, seconds)
            budget.took(cost, "site")
            spent += cost
            checked += 1
    return own, spent, checked


@pytest.mark.parametrize("fixed", [0.0, 1.0, 3.0, 10.0])
def test_checks_stay_within_their_share(fixed: float) -> None:
    """All but the first may only be done where they fit in whole."""
    own, spent, checked = run(Budget(9), 1.0, 0.3, fixed, 40)
    assert checked >= 1
    assert spent <= max(SHARE * own + BASE, fixed)


def test_later_passes_are_sampled() -> None:
    own, spent, checked = run(Budget(9), 1.0, 0.3, 3.0, 40)
    assert 3 <= checked < 40
    assert spent <= SHARE * own + BASE


def test_a_second_run_is_provided_for() -> None:
    budget = Budget(9)
    budget.drowned = 1
    own, spent, _ = run(budget, 1.0, 0.3, 0.5, 40)
    assert spent <= (SHARE - AGAIN[0]) * own + max(BASE - AGAIN[1], 0.0) + 0.5
