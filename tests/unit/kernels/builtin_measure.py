"""Run the measurements of `builtin_cases` and write them as JSON:
`python -m tests.unit.kernels.builtin_measure CACHE OUTPUT [SET …]`.

A process of its own, because a wrong kernel can take the process down. Works with any Warp since 1.12.
"""

from __future__ import annotations

import dataclasses
import json
import sys
from pathlib import Path
from typing import Any

import warp as wp

from tests.unit.kernels import builtin_cases
from tests.unit.kernels.builtin_probe import FORMS, Case, attach, measure

BATCH = 60


def _measured(cases: list[Case], folder: Path, name: str, failures: dict[str, str]) -> list[dict[str, Any]]:
    """Measure cases in one module; if it doesn't compile, halve it until the guilty ones are alone."""
    found = []
    try:
        attach(cases, folder, name)
        for case in cases:
            entry = dataclasses.asdict(measure(case))
            families = [FORMS[operand].family for operand in case.operands]
            about = {"name": case.name, "label": case.label, "names": case.names, "families": families}
            found.append({**about, "direct": case.direct, **entry})
    except Exception as error:
        if len(cases) == 1:
            failures[cases[0].label] = f"{type(error).__name__}: {error}"
            return []
        half = len(cases) // 2
        return [
            *_measured(cases[:half], folder, f"{name}a", failures),
            *_measured(cases[half:], folder, f"{name}b", failures),
        ]
    return found


def main(cache: Path, output: Path, sets: list[str]) -> None:
    """Write `{"version", "registry": {name: [[operand, …], …]}, "cases": […], "failures": {label: error}}`."""
    folder = cache / str(wp.config.version)
    folder.mkdir(parents=True, exist_ok=True)
    wp.config.quiet = True
    wp.config.kernel_cache_dir = str(folder / "kernels")
    if hasattr(wp.config, "optimization_level"):
        wp.config.optimization_level = 0
    cases: list[dict[str, Any]] = []
    failures: dict[str, str] = {}
    for name in sets:
        todo = builtin_cases.SETS[name]()
        for start in range(0, len(todo), BATCH):
            cases += _measured(todo[start : start + BATCH], folder, f"builtins_{name}_{start}", failures)
    functions = builtin_cases.builtin_functions
    registry = {name: builtin_cases.parameters(function) for name, function in functions.items()}
    found = {"version": wp.config.version, "registry": registry, "cases": cases, "failures": failures}
    output.write_text(json.dumps(found, indent=1))


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]), sys.argv[3:] or list(builtin_cases.SETS))
