"""The corpus under the program confirmer: planted errors proven under their own rules, clean twins right.

A sample here; all of them with `WARP_LINT_LONG=1` (six minutes), or by `python -m tests.confirm_program.corpus`.
"""

from __future__ import annotations

import importlib.util
import os
from importlib.metadata import version

import pytest

pytest.importorskip("warp")

from tests.confirm_program.corpus import CORPUS, NAMES, PAIRS, outcome

LONG = bool(os.environ.get("WARP_LINT_LONG"))
# One for each kind of proof: grids, aliases, seeds, structs, kernels, views; a clean one.
SAMPLE = [
    ("granular_column", "bad"),
    ("mpc_cartpole", "bad"),
    ("plate_calibration", "bad"),
    ("spinning_boxes", "bad"),
    ("sphere_tracer", "bad"),
    ("sysid_arm", "bad"),
    ("granular_column", "good"),
]
ALL = [*((name, "bad") for name in PAIRS), *((name, "good") for name in NAMES)]
# Labels are for the newest Warp. Before 1.16, members set on a local struct get no gradient.
SINCE = {"sphere_tracer": (1, 16)}
NEEDS_TORCH = {"torch_lens"}
# Program, twin -> what the run doesn't show.
KNOWN: dict[tuple[str, str], str] = {}


@pytest.mark.parametrize(
    ("name", "twin"),
    [
        pytest.param(*case, marks=[pytest.mark.xfail(strict=True, reason=KNOWN[case])] if case in KNOWN else [])
        for case in (ALL if LONG else SAMPLE)
    ],
)
def test_program(name: str, twin: str) -> None:
    if name in NEEDS_TORCH and importlib.util.find_spec("torch") is None:
        pytest.skip("torch is not installed")
    installed = tuple(int(part) for part in version("warp-lang").split(".")[:2])
    if installed < SINCE.get(name, (0, 0)):
        pytest.skip("its labels are for a newer Warp")
    found = outcome(name, twin)
    assert found.complaints == []
    assert not [note for note in found.report.notes if "trouble" in note]
    assert bool(found.planted) == (twin == "bad")


def test_the_sample_is_in_the_corpus() -> None:
    assert set(SAMPLE) <= set(ALL)
    assert all((CORPUS / name / twin).is_dir() for name, twin in ALL)
