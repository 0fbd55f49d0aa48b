"""Which samples are taken of a kernel."""

from __future__ import annotations

from typing import Any

import pytest

pytest.importorskip("warp")

from warp_lint.confirm import trial
from warp_lint.confirm.gradient import Sample
from warp_lint.confirm.scenarios import REGULAR, Facts


def outcomes(monkeypatch: pytest.MonkeyPatch, wrong: set[tuple[int, int]]) -> list[tuple[int, int]]:
    """Seeds and numbers of scenarios that are tried, if those in `wrong` show a mismatch."""
    tried: list[tuple[int, int]] = []

    def sample(kernel: Any, facts: Any, scenario: Any, double: bool, seed: int, index: int, stage: Any) -> Sample:
        tried.append((seed, index))
        bad = (seed, index) in wrong
        return Sample("mismatch" if bad else "agree", alone="mismatch" if bad else "")

    monkeypatch.setattr(trial, "test_scenario", sample)
    result = trial._regular(None, Facts(), True, 0, float("inf"), lambda adjoint: None)
    assert len(result) == len(tried)
    return tried


def test_kernels_that_agree_are_tried_once_with_every_kind_of_input(monkeypatch):
    assert outcomes(monkeypatch, set()) == [(0, index) for index in range(len(REGULAR))]


def test_two_mismatches_are_enough(monkeypatch):
    assert outcomes(monkeypatch, {(0, 1), (0, 2)}) == [(0, 0), (0, 1), (0, 2)]


def test_a_single_mismatch_is_looked_for_again_with_its_kind_of_input(monkeypatch):
    tried = outcomes(monkeypatch, {(0, 4), (103, 4)})
    assert tried[-4:] == [(100, 4), (101, 4), (102, 4), (103, 4)]
    assert len(tried) == trial.PASSES * len(REGULAR) + 4


def test_a_mismatch_that_stays_alone_is_given_up(monkeypatch):
    assert len(outcomes(monkeypatch, {(0, 4)})) == trial.PASSES * len(REGULAR) + trial.AGAIN
