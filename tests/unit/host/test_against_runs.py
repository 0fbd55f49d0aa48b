"""Predicted traces against what the programs do when they run (with kernels switched off)."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from warp_lint.host import trace_project
from warp_lint.settings import Settings
from warp_lint.syntax.project import Project
from warp_lint.trace import model

pytest.importorskip("warp")

HERE = Path(__file__).parent
CORPUS = HERE.parents[2] / "test_corpus"
# One of every few ground-truth programs, without those in which Warp's own library copies or launches.
GROUND_TRUTH = [
    file
    for area in (
        "06_inter_kernel",
        "07_outside_tape_write",
        "08_requires_grad",
        "09_zero",
        "15_struct",
        "17_tape_scope",
    )
    for file in sorted((CORPUS / "ground_truth" / area).glob("*.py"))[::4]
    if not any(word in file.name for word in ("optim", "cmd_launch", "contiguous"))
]
CASES = sorted(CORPUS.glob("cases/*/bad.py"))
LARGER = [
    CORPUS / name
    for name in (
        "checkpointed_reaction/good/run.py",
        "fdtd_slab/bad/invert.py",
        "mpm_throw/good/fit.py",
        "rk4_orbit/bad/plan.py",
        "sysid_arm/good/identify.py",
        "xpbd_rope/good/tune.py",
    )
    if (CORPUS / name).is_file()
]
PROGRAMS = [*sorted((HERE / "programs").glob("[a-z]*.py")), *GROUND_TRUTH, *CASES, *LARGER]


@pytest.fixture(scope="module")
def runs():
    command = [sys.executable, str(HERE / "recorder.py"), *map(str, PROGRAMS)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, check=True)
    return json.loads(done.stdout[done.stdout.index("{") :])


def canonical(events):
    """Allocations numbered in the order of their first appearance."""
    numbers = {}

    def number(key):
        return None if key is None else numbers.setdefault(key, len(numbers))

    result = []
    for kind, *rest in events:
        if kind == "launch":
            result.append((kind, rest[0], tuple((name, number(key)) for name, key in rest[1])))
        else:
            result.append((kind, *(number(key) for key in rest)))
    return result


def predicted(trace):
    result = []
    for event in trace.events:
        if isinstance(event, model.Launch):
            arguments = [(".".join(path), array.region.root) for path, array in event.arguments.items()]
            result.append(("launch", event.kernel, arguments))
        elif isinstance(event, model.Copy) and event.kind in ("copy", "clone"):
            result.append(("copy", event.destination.region.root, event.source.region.root))
        elif isinstance(event, model.TapeEvent):
            result.append((event.action,))
        elif isinstance(event, model.Backward):
            result.append(("backward", event.loss.region.root if event.loss is not None else None))
        elif isinstance(event, model.Fill) and event.kind == "zero_":
            result.append(("zero_", event.array.region.root))
        elif isinstance(event, model.GradientWrite) and event.kind == "zero":
            result.append(("zero_", event.array.grad_root))
    return result


@pytest.mark.parametrize("file", PROGRAMS, ids=lambda f: f"{f.parent.name}/{f.name}")
def test_same_events(file, runs):
    project = Project(file.parent)
    module = project.module_at(file)
    trace = trace_project(project, [module], Settings())[0]
    assert trace.complete, trace.incomplete
    assert canonical(predicted(trace)) == canonical(runs[str(file)])
