"""The run in double precision: only where the limit leaves time for it."""

from __future__ import annotations

from typing import Any

import pytest

from warp_lint.confirm import program
from warp_lint.confirm.options import ConfirmOptions
from warp_lint.confirm.program import NO_TIME, ProgramReport, Run, add_double


@pytest.mark.parametrize(("checking", "runs"), [(1.0, 1), (4.0, 0)])
def test_time_for_a_second_run(checking: float, runs: int, monkeypatch: pytest.MonkeyPatch) -> None:
    limits: list[float] = []

    def execute(argv: Any, options: Any, output: Any = None, double: bool = False, limit: float = 0.0) -> Run:
        limits.append(limit)
        return Run([], {}, 0, False, 0.0)

    monkeypatch.setattr(program, "execute", execute)
    report = ProgramReport(["p.py"], "inconclusive", seconds=5.0, checking=checking, own=1.0)
    add_double(report, ["p.py"], ConfirmOptions(), [], None)
    assert len(limits) == runs
    assert any(note.endswith(NO_TIME) for note in report.notes) == (runs == 0)
