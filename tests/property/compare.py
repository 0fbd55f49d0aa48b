"""Static answers against measured gradients, on random kernels or random host programs.

    python tests/property/compare.py kernels --count 1000 --seed 0 [--keep FOLDER]
    python tests/property/compare.py programs --count 500 --seed 0

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
from pathlib import Path
from random import Random

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from tests.property.generator import HEADER, random_kernel
from tests.property.programs import KERNELS, random_program
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


def static_kernel(source: str, folder: Path, name: str) -> list[Finding]:
    """Findings on one kernel whose launches aren't seen, counted as active."""
    from warp_lint.kernels.check import check_module
    from warp_lint.settings import Settings
    from warp_lint.syntax.project import Project

    file = folder / f"{name}.py"
    file.write_text(HEADER + source)
    project = Project(folder)
    module = project.module_at(file)
    assert module is not None, project.errors
    found = check_module(project, module, Settings(assume_active=True), {})
    return [f for f in found if f.severity >= Severity.WARNING]


def compare_kernels(count: int, seed: int, folder: Path) -> list[tuple[str, str, list[str], dict[str, object]]]:
    """Rows of (name, outcome, codes, measurement); outcome: found, missed, silent, flagged, unclear."""
    rows = []
    for start in range(0, count, BATCH):
        names = [f"k{seed + start + k}" for k in range(min(BATCH, count - start))]
        sources = {name: random_kernel(Random(int(name[1:])), name) for name in names}
        batch = folder / f"batch_{seed + start}.py"
        batch.write_text(HEADER + "".join(sources.values()))
        results = measured("measure.py", [str(batch), *names])
        for name in names:
            result = results.get(name, {"verdict": "unclear"})
            findings = static_kernel(sources[name], folder, name)
            rows.append((name, outcome(str(result["verdict"]), bool(findings)), _codes(findings), result))
    return rows


def compare_programs(count: int, seed: int, folder: Path) -> list[tuple[str, str, list[str], dict[str, object]]]:
    from warp_lint.engine import Request, lint

    (folder / "kernels.py").write_text(KERNELS)
    names = [f"p{seed + k}" for k in range(count)]
    for name in names:
        (folder / f"{name}.py").write_text(random_program(Random(int(name[1:]))))
    results = measured("measure_programs.py", [str(folder), *names])
    rows = []
    for name in names:
        result = results.get(name, {"verdict": "unclear"})
        found = lint(Request([folder / f"{name}.py"], cache=False)).findings
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
    parser.add_argument("what", choices=["kernels", "programs"])
    parser.add_argument("--count", type=int, default=120)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--keep", type=Path)
    options = parser.parse_args()
    folder = options.keep or Path(tempfile.mkdtemp())
    folder.mkdir(parents=True, exist_ok=True)
    compare = compare_kernels if options.what == "kernels" else compare_programs
    rows = compare(options.count, options.seed, folder)
    for name, kind, codes, result in rows:
        if kind in ("missed", "flagged"):
            detail = {k: v for k, v in result.items() if k not in ("name", "verdict")}
            print(f"{kind} {name} {' '.join(codes)} {detail if detail else ''}")
    print(dict(Counter(kind for _, kind, _, _ in rows)))
    return 0


if __name__ == "__main__":
    sys.exit(main())
