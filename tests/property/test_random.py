"""A short run of the comparison between static answers and measured gradients.

What may differ: kernels that measure right though they are flagged (a branch not taken, a tie), so
only misses fail, and the share of flagged right ones is bounded.
"""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

pytest.importorskip("warp")

from tests.property import compare

SHORT = settings(
    max_examples=2,
    phases=[Phase.explicit, Phase.generate],
    derandomize=True,
    deadline=None,
    suppress_health_check=list(HealthCheck),
)


@SHORT
@given(seed=st.integers(0, 10_000))
def test_random_kernels(tmp_path_factory: pytest.TempPathFactory, seed: int) -> None:
    rows = compare.compare_kernels(30, seed * 100, tmp_path_factory.mktemp("kernels"))
    _judge(rows)


@SHORT
@given(seed=st.integers(0, 10_000))
def test_random_kernels_of_more_shapes(tmp_path_factory: pytest.TempPathFactory, seed: int) -> None:
    rows = compare.compare_wide(30, seed * 100, tmp_path_factory.mktemp("wide"))
    _judge(rows, flagged=12)  # more conditions, so more luck


@SHORT
@given(seed=st.integers(0, 10_000))
def test_random_programs(tmp_path_factory: pytest.TempPathFactory, seed: int) -> None:
    rows = compare.compare_programs(30, seed * 100, Path(tmp_path_factory.mktemp("programs")))
    _judge(rows)


@SHORT
@given(seed=st.integers(0, 10_000))
def test_random_structures(tmp_path_factory: pytest.TempPathFactory, seed: int) -> None:
    rows = compare.compare_programs(30, seed * 100, Path(tmp_path_factory.mktemp("structures")), structured=True)
    _judge(rows)


def _judge(rows: list[tuple[str, str, list[str], dict[str, object]]], flagged: int = 5) -> None:
    missed = [(name, result) for name, kind, _, result in rows if kind == "missed"]
    assert not missed
    counts = Counter(kind for _, kind, _, _ in rows)
    assert counts["found"] + counts["silent"] + counts["flagged"] >= 25
    assert counts["flagged"] <= flagged
