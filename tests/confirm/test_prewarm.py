"""A worker that has Warp ready before there is a kernel to run."""

from __future__ import annotations

from pathlib import Path

import pytest

from warp_lint.confirm import prewarm
from warp_lint.confirm.kernels import confirm_kernels
from warp_lint.confirm.prewarm import Place
from warp_lint.confirm.process import Worker
from warp_lint.findings import Status

from .support import flagged, options

pytest.importorskip("warp")

SOURCE = """import warp as wp


@wp.kernel
def product(a: wp.array(dtype=float), b: wp.array(dtype=float)):
    i = wp.tid()
    a[i] *= b[i]
"""


def test_kernels_go_to_the_waiting_worker(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    chosen = options(tmp_path / "cache")
    file = tmp_path / "kernels.py"
    file.write_text(SOURCE)
    launched: list[str] = []
    launch = Place.launch

    def counted(self: Place, options: object, argument: str, waits: bool = False) -> Worker:
        launched.append(argument)
        return launch(self, options, argument, waits)  # type: ignore[arg-type]

    monkeypatch.setattr(Place, "launch", counted)
    prewarm.start(chosen)
    project, found = flagged(file, {"product": "ADJ101"}, ["product"])
    (shown,) = confirm_kernels(found, project, chosen)
    assert shown.verdict is not None and shown.verdict.status is Status.CONFIRMED
    assert launched == [f"@{tmp_path / 'cache'}"]
    assert list((tmp_path / "cache" / "runs").iterdir()) == []


def test_a_dead_worker_is_replaced(tmp_path: Path) -> None:
    chosen = options(tmp_path / "cache")
    file = tmp_path / "kernels.py"
    file.write_text(SOURCE)
    prewarm.start(chosen)
    prewarm._waiting[-1][2].stop()
    project, found = flagged(file, {"product": "ADJ101"}, ["product"])
    (shown,) = confirm_kernels(found, project, chosen)
    assert shown.verdict is not None and shown.verdict.status is Status.CONFIRMED


def test_a_worker_without_work_ends(tmp_path: Path) -> None:
    chosen = options(tmp_path / "cache")
    prewarm.start(chosen)
    worker = prewarm._waiting[-1][2]
    prewarm.drop()
    assert not worker.running and prewarm.take(chosen) is None
    assert list((tmp_path / "cache" / "runs").iterdir()) == []
