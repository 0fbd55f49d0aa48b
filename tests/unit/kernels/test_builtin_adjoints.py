"""The builtin table against the installed Warp: which gradients are right, what adjoints read, where they fail."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from warp_lint.kernels.builtins import RESULT, Builtin, Gradient, lookup
from warp_lint.kernels.builtins_table import TABLE

pytest.importorskip("warp")
pytest.importorskip("numpy")

ROOT = Path(__file__).parents[3]

# Comparisons are not functions in Warp; the other two left with 1.17.
NOT_IN_WARP = {"lt", "le", "gt", "ge", "eq", "ne", "spatial_jacobian", "spatial_mass"}

# What a measurement must find for each gradient in the table.
MEASURED = {
    Gradient.EXACT: "exact",
    Gradient.FLAT: "zero",
    Gradient.NONE: "zero",
    Gradient.LOST: "lost",
    Gradient.LEAKED: "wrong",
}

# Which facts of the table a special point tests, by the operand's family and the point.
POINTS: dict[tuple[str, str], set[str]] = {
    ("scalar", "zero"): {"zero"},
    ("scalar", "one"): {"unit"},
    ("scalar", "minus-one"): {"unit", "negative"},
    ("scalar", "huge"): {"overflow"},
    ("vec", "zero"): {"zero", "zero-vector"},
    ("quat", "zero"): {"zero", "zero-vector"},
    ("mat", "zero"): {"zero", "singular-matrix", "repeated"},
    ("mat", "huge"): {"repeated"},
    ("tile", "zero"): {"zero", "singular-matrix"},
    ("tile", "one"): {"singular-matrix"},
    ("tile", "minus-one"): {"singular-matrix"},
    ("tile", "huge"): {"singular-matrix"},
}


@pytest.fixture(scope="module")
def measured(request: pytest.FixtureRequest) -> dict[str, Any]:
    """The measurements, from two processes: compiling is most of the work."""
    cache = request.config.cache
    folder = Path(cache.mkdir("builtins")) if cache else Path(request.getfixturevalue("tmp_path_factory").mktemp("b"))
    parts = [["registry"], ["python", "tiles"]]
    outputs = [folder / f"{part[0]}.json" for part in parts]
    command = [sys.executable, "-m", "tests.unit.kernels.builtin_measure", str(folder)]
    running = [
        subprocess.Popen(
            [*command, str(out), *part], cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
        )
        for out, part in zip(outputs, parts, strict=True)
    ]
    logs = [process.communicate(timeout=600)[0] for process in running]
    for process, log in zip(running, logs, strict=True):
        assert process.returncode == 0, log[-4000:]
    found = [json.loads(out.read_text()) for out in outputs]
    return {
        "registry": found[0]["registry"],
        "cases": [case for part in found for case in part["cases"]],
        "failures": {label: error for part in found for label, error in part["failures"].items()},
    }


def _entry(case: dict[str, Any]) -> Builtin:
    found = lookup(case["name"])
    assert found is not None, case["label"]
    return found.of(*case["families"])


def _position(found: Builtin, name: str) -> int:
    """Operand position by name. A spread operand takes the names of the operands it stands for."""
    for k, operand in enumerate(found.operands):
        if name in (operand.name, *operand.aliases):
            return k
    return next(k for k, operand in enumerate(found.operands) if operand.variadic)


def test_every_builtin_of_warp_is_in_the_table(measured: dict[str, Any]) -> None:
    names = {key.partition("/")[0] for key in TABLE}
    assert set(measured["registry"]) - names == set()
    assert names - set(measured["registry"]) == NOT_IN_WARP


def test_operand_names_are_those_of_warp(measured: dict[str, Any]) -> None:
    """So that keyword arguments bind. Spread operands stand for any further names."""
    wrong = {}
    for name, overloads in measured["registry"].items():
        found = lookup(name)
        assert found is not None
        entries = [found, *(variant for _, variant in found.variants)]
        operands = [operand for entry in entries for operand in entry.operands]
        known = {known for operand in operands for known in (operand.name, *operand.aliases)}
        missing = sorted({p for names in overloads for p in names if p not in known})
        if missing and not any(operand.variadic for operand in operands):
            wrong[name] = missing
    assert wrong == {}


def test_all_kernels_compile_and_run(measured: dict[str, Any]) -> None:
    assert measured["failures"] == {}


def test_every_builtin_is_measured_or_excused(measured: dict[str, Any]) -> None:
    from tests.unit.kernels.builtin_cases import UNMEASURED

    done = {case["name"] for case in measured["cases"]}
    assert set(measured["registry"]) - done - set(UNMEASURED) == set()
    assert done & set(UNMEASURED) == set()


def test_every_operand_with_a_gradient_is_measured(measured: dict[str, Any]) -> None:
    done = set()
    for case in measured["cases"]:
        found = _entry(case)
        done |= {(case["name"], found.operands[_position(found, name)].name) for name in case["gradient"]}
    missing = []
    for name in {case["name"] for case in measured["cases"]}:
        found = lookup(name)
        assert found is not None
        for entry in (found, *(variant for _, variant in found.variants)):
            for operand in entry.operands:
                if operand.gradient is not Gradient.NONE and (name, operand.name) not in done:
                    missing.append((name, operand.name))
    assert sorted(set(missing) - UNMEASURED_OPERANDS) == []


# Operands that are measured through another one, or can't be given in a kernel of one block.
UNMEASURED_OPERANDS = {("tile_map", "args")}


def test_every_variant_is_measured(measured: dict[str, Any]) -> None:
    hit: dict[str, set[int]] = {}
    for case in measured["cases"]:
        hit.setdefault(case["name"], set()).add(id(_entry(case)))
    missed = []
    for name in hit:
        found = lookup(name)
        assert found is not None
        missed += [f"{name}/{pattern}" for pattern, variant in found.variants if id(variant) not in hit[name]]
    assert missed == []


def test_gradients(measured: dict[str, Any]) -> None:
    wrong = []
    for case in measured["cases"]:
        found = _entry(case)
        for name, kind in case["gradient"].items():
            gradient = found.operands[_position(found, name)].gradient
            if MEASURED[gradient] != kind:
                wrong.append(f"{case['label']} {name}: {gradient.value} in the table, {kind} measured.{case['note']}")
    assert not wrong, "\n".join(wrong)


# What they read depends on the function that they apply; the table has the most it can be.
MAPPING = {"tile_map"}


def test_reads(measured: dict[str, Any]) -> None:
    wrong = []
    for case in measured["cases"]:
        found = _entry(case)
        present = {RESULT, *(_position(found, name) for name in case["names"])}
        if case["direct"]:
            present |= {0}  # what a direct case reads of its result is the array operand
        for name, read in case["reads"].items():
            result = 0 if case["direct"] else RESULT
            actual = {result if other == "=" else _position(found, other) for other in read}
            expected = found.operands[_position(found, name)].reads & present
            if case["name"] in MAPPING:
                expected &= actual
            if actual != expected:
                wrong.append(f"{case['label']} {name}: {sorted(expected)} in the table, {sorted(actual)} measured")
    assert not wrong, "\n".join(wrong)


def test_singular_points(measured: dict[str, Any]) -> None:
    wrong = []
    for case in measured["cases"]:
        found = _entry(case)
        floats = list(case["gradient"])
        for name in floats:
            family = case["families"][case["names"].index(name)]
            position = _position(found, name)
            for point in ("zero", "one", "minus-one", "huge"):
                tested = POINTS.get((family, point), set())
                facts = [s for s in found.singular if s.operand == position and s.where in tested]
                expected = any(not fact.guarded for fact in facts)
                if expected != (f"{name} {point}" in case["infinite"]) and case["name"] not in MAPPING:
                    wrong.append(f"{case['label']} {name} {point}: {'finite' if expected else 'not finite'} measured")
        for point in ("equal", "both-zero"):
            facts = [s for s in found.singular if s.where == point]
            if facts and any(not fact.guarded for fact in facts) != (point in case["infinite"]):
                wrong.append(f"{case['label']} {point}: {case['infinite'].get(point)}")
            if point == "equal" and point in case["infinite"] and not facts:
                wrong.append(f"{case['label']} {point}: not finite measured")
    assert not wrong, "\n".join(wrong)
