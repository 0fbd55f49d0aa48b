"""Scores the linter on the ground truth: right, missed and false by area and rule.

python tests/scoreboard.py [--version 1.19.0] [--area 01,03] [--kernel-only] [-v]
"""

from __future__ import annotations

import argparse
import csv
import sys
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from packaging.version import Version

from warp_lint.findings import Finding, Severity
from warp_lint.settings import Settings
from warp_lint.syntax.module import Module
from warp_lint.syntax.project import Project

TRUTH = Path(__file__).parent.parent / "test_corpus" / "ground_truth"
WRONG = frozenset(("wrong", "zero", "nonfinite"))
KERNEL_AREAS = ("01", "02", "03", "03ov", "04", "04b", "05", "12", "13", "14", "15", "20", "21", "23", "25")

# Which rules may name a cause. Labels without an entry accept any rule.
SUITS: dict[str, tuple[str, ...]] = {
    "inplace-multiply": ("ADJ101", "ADJ102"),
    "self-overwrite": ("ADJ101", "ADJ102"),
    "overwrite-after-read-in-kernel": ("ADJ102", "ADJ103"),
    "component-reassignment": ("ADJ104", "ADJ111"),
    "loop-carried": ("ADJ105", "ADJ106"),
    "loop-result": ("ADJ105", "ADJ106"),
    "while-counter": ("ADJ105",),
    "loop-exit": ("ADJ107",),
    "custom-adjoint": ("ADJ201", "ADJ202", "ADJ204"),
    "replay-side-effect": ("ADJ203", "ADJ103"),
    "singular": ("ADJ501", "ADJ502"),
    "where-nan": ("ADJ501",),
    "flat": ("ADJ503",),
}


@dataclass(frozen=True)
class Row:
    """One program of the ground truth, for one version."""

    path: str
    area: str
    verdict: str
    cause: str
    lines: tuple[int, ...]
    note: str

    @property
    def wrong(self) -> bool:
        return self.verdict in WRONG

    @property
    def judged(self) -> bool:
        return self.verdict != "-" and "DOUBTFUL" not in self.note and "coincidence" not in self.note


def rows(version: str, areas: Iterable[str] | None = None) -> list[Row]:
    wanted = set(areas) if areas is not None else None
    result = []
    with (TRUTH / "truth.tsv").open(newline="") as stream:
        for record in csv.DictReader(stream, delimiter="\t", quoting=csv.QUOTE_NONE):
            area = record["area"].partition("_")[0]
            if wanted is not None and area not in wanted:
                continue
            lines = [record["cause_line"], *record["alt_lines"].split(",")]
            numbers = tuple(int(x) for x in lines if x.strip().isdigit())
            result.append(Row(record["path"], area, record[version], record["cause"], numbers, record["note"]))
    return result


def findings_of(path: Path, target: Version) -> list[Finding]:
    """Findings of one program by the whole engine."""
    from warp_lint.config import Overrides
    from warp_lint.engine import Request, lint

    request = Request([path], Overrides(target_warp=target), cache=False)
    return [f for f in lint(request).findings if f.severity > Severity.INFO]


def kernel_findings(path: Path, target: Version) -> list[Finding]:
    from warp_lint.kernels.check import check_module

    project, module = parsed(path)
    found = check_module(project, module, Settings(target, assume_active=True), {})
    return [f for f in found if f.severity > Severity.INFO]


@lru_cache(maxsize=1024)
def parsed(path: Path) -> tuple[Project, Module]:
    project = Project(path.parent)
    module = project.module_at(path)
    assert module is not None
    return project, module


def suits(row: Row, finding: Finding) -> bool:
    allowed = SUITS.get(row.cause)
    return allowed is None or finding.code in allowed


def at(row: Row, finding: Finding) -> bool:
    lines = [finding.location.line, *(note.location.line for note in finding.notes)]
    return any(abs(line - wanted) <= 1 for line in lines for wanted in row.lines)


def judge(row: Row, findings: list[Finding]) -> str:
    """ "right", "missed", "false", "line" (found elsewhere), "rule" (found by an unsuitable rule), "free"."""
    if not row.judged or row.verdict == "error":
        return "free"
    if not row.wrong:
        return "false" if findings else "right"
    if not findings:
        return "missed"
    placed = [f for f in findings if at(row, f) or not row.lines]
    if not placed:
        return "line"
    return "right" if any(suits(row, f) for f in placed) else "rule"


def score(version: str, areas: Iterable[str] | None, kernel_only: bool = False) -> list[tuple[Row, str, list[Finding]]]:
    target = Version(version)
    run = kernel_findings if kernel_only else findings_of
    result = []
    for row in rows(version, areas):
        findings = run(TRUTH / row.path, target)
        result.append((row, judge(row, findings), findings))
    return result


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--version", default="1.19.0")
    parser.add_argument("--area", default="")
    parser.add_argument("--kernel-only", action="store_true")
    parser.add_argument("-v", "--verbose", action="store_true")
    options = parser.parse_args()
    areas = [a for a in options.area.split(",") if a] or None
    results = score(options.version, areas, options.kernel_only)
    table: dict[str, Counter[str]] = {}
    for row, outcome, findings in results:
        table.setdefault(row.area, Counter())[outcome] += 1
        if outcome not in ("right", "free") or options.verbose:
            print(f"{outcome:7} {row.path} [{row.verdict}, {row.cause}, line {row.lines}]")
            for finding in findings:
                print(f"        {finding.code} {finding.location.line}: {finding.message}")
    columns = ("right", "missed", "false", "line", "rule", "free")
    print(f"{'area':8}" + "".join(f"{c:>8}" for c in columns))
    for area, counts in sorted(table.items()):
        print(f"{area:8}" + "".join(f"{counts[c]:8}" for c in columns))
    total = sum(table.values(), Counter())
    print(f"{'all':8}" + "".join(f"{total[c]:8}" for c in columns))
    return 0


if __name__ == "__main__":
    sys.exit(main())
