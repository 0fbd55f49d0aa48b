"""Static answers against measured gradients, on random kernels or random host programs.

    python tests/property/compare.py kernels --count 1000 --seed 0 [--keep FOLDER]
    python tests/property/compare.py wide --count 1000 --seed 0     (kernels of more shapes)
    python tests/property/compare.py programs --count 500 --seed 0
    python tests/property/compare.py structures --count 500 --seed 0

Prints how many wrong ones were found and missed, and how many right ones were silent and flagged;
with `--keep`, the sources of the disagreements are left in a folder.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from random import Random

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from tests.property import wide
from tests.property.generator import HEADER, random_kernel
from tests.property.programs import KERNELS, random_program
from tests.property.structures import STRUCTURE_KERNELS, random_structure
from warp_lint.findings import Finding, Severity

HERE = Path(__file__).parent
BATCH = 60


def measured(script: str, arguments: list[str], timeout: float = 1200.0) -> dict[str, dict[str, object]]:
    """Run a measuring script; its JSON lines by name."""
    command = [sys.executable, str(HERE / script), *arguments]
    done = subprocess.run(command, capture_output=True, text=True, timeout=timeout, check=False)
    rows = [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]
    if not rows:
        raise RuntimeError(f"{script} printed nothing:\n{done.stderr[-3000:]}")
    return {row["name"]: row for row in rows}


def static_kernel(source: str, folder: Path, name: str, header: str = HEADER) -> list[Finding]:
    """Findings on one kernel, all arrays functions of the inputs, with a gradient that goes on to a loss."""
    from warp_lint.kernels.activity import KernelActivity, LaunchContext
    from warp_lint.kernels.analysis import graph_of
    from warp_lint.kernels.check import check_module
    from warp_lint.kernels.detect import kernels_of
    from warp_lint.settings import Settings
    from warp_lint.syntax.project import Project

    file = folder / f"{name}.py"
    file.write_text(header + source)
    project = Project(folder)
    module = project.module_at(file)
    assert module is not None, project.errors
    settings = Settings(assume_active=True)
    activities = {}
    for definition in kernels_of(project, module):
        paths = frozenset(graph_of(project, definition, settings)[0].arrays)
        activities[definition.location] = KernelActivity("active", (LaunchContext(paths, None, paths),))
    found = check_module(project, module, settings, activities)
    return [f for f in found if f.severity >= Severity.WARNING]


def compare_wide(count: int, seed: int, folder: Path) -> list[tuple[str, str, list[str], dict[str, object]]]:
    return compare_kernels(count, seed, folder, wide.random_kernel, wide.HEADER)


def compare_kernels(
    count: int,
    seed: int,
    folder: Path,
    generate: Callable[[Random, str], str] = random_kernel,
    header: str = HEADER,
) -> list[tuple[str, str, list[str], dict[str, object]]]:
    """Rows of (name, outcome, codes, measurement); outcome: found, missed, silent, flagged, unclear."""
    rows = []
    for start in range(0, count, BATCH):
        names = [f"k{seed + start + k}" for k in range(min(BATCH, count - start))]
        sources = {name: generate(Random(int(name[1:])), name) for name in names}
        batch = folder / f"batch_{seed + start}.py"
        batch.write_text(header + "".join(sources.values()))
        results = measured("measure.py", [str(batch), *names])
        for name in names:
            result = results.get(name, {"verdict": "unclear"})
            findings = static_kernel(sources[name], folder, name, header)
            rows.append((name, outcome(str(result["verdict"]), bool(findings)), _codes(findings), result))
    return rows


def compare_programs(
    count: int, seed: int, folder: Path, structured: bool = False
) -> list[tuple[str, str, list[str], dict[str, object]]]:
    from warp_lint.engine import Request, lint

    (folder / "kernels.py").write_text(KERNELS)
    (folder / "structure_kernels.py").write_text(STRUCTURE_KERNELS)
    names = [f"{'s' if structured else 'p'}{seed + k}" for k in range(count)]
    make = random_structure if structured else random_program
    for name in names:
        (folder / f"{name}.py").write_text(make(Random(int(name[1:]))))
    results = measured("measure_programs.py", [str(folder), *names])
    rows = []
    for name in names:
        result = results.get(name, {"verdict": "unclear"})
        kernels = [folder / "structure_kernels.py"] if structured else []
        found = lint(Request([folder / f"{name}.py", *kernels], cache=False)).findings
        findings = [f for f in found if f.severity >= Severity.WARNING]
        rows.append((name, outcome(str(result["verdict"]), bool(findings)), _codes(findings), result))
    return rows


def outcome(verdict: str, flagged: bool) -> str:
    if verdict == "wrong":
        return "found" if flagged else "missed"
    if verdict == "right":
        return "flagged" if flagged else "silent"
    return "unclear"


def _codes(findings: list[Finding]) -> list[str]:
    return sorted(f"{f.code}@{f.location.line}" for f in findings)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=["kernels", "wide", "programs", "structures"])
    parser.add_argument("--count", type=int, default=120)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--keep", type=Path)
    options = parser.parse_args()
    folder = options.keep or Path(tempfile.mkdtemp())
    folder.mkdir(parents=True, exist_ok=True)
    if options.what in ("programs", "structures"):
        rows = compare_programs(options.count, options.seed, folder, options.what == "structures")
    elif options.what == "wide":
        rows = compare_wide(options.count, options.seed, folder)
    else:
        rows = compare_kernels(options.count, options.seed, folder)
    for name, kind, codes, result in rows:
        if kind in ("missed", "flagged"):
            detail = {k: v for k, v in result.items() if k not in ("name", "verdict")}
            print(f"{kind} {name} {' '.join(codes)} {detail if detail else ''}")
    print(dict(Counter(kind for _, kind, _, _ in rows)))
    return 0


if __name__ == "__main__":
    sys.exit(main())
