"""Verdicts of the kernel confirmer over the ground truth, by area: `python tests/confirm_scoreboard.py [areas]`.

Every kernel that a program launches first is confirmed as if a rule had flagged it. A wrong program
should come out confirmed, a right one refuted.
"""

from __future__ import annotations

import argparse
import csv
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

from warp_lint.confirm.kernels import confirm_kernels
from warp_lint.confirm.options import ConfirmOptions
from warp_lint.findings import Finding, Location, Severity, Status, Subject
from warp_lint.syntax.project import Project

ROOT = Path(__file__).parent.parent / "test_corpus" / "ground_truth"
AREAS = ("01", "02", "03", "03ov", "04", "04b", "05", "12", "13", "14", "15", "20", "21", "23")
LOSSES = ("weighted_sum", "reduce_sum")

CODE_OF_CAUSE = {
    "inplace-multiply": "ADJ101",
    "self-overwrite": "ADJ102",
    "overwrite-after-read-in-kernel": "ADJ103",
    "component-reassignment": "ADJ104",
    "loop-carried": "ADJ105",
    "loop-result": "ADJ106",
    "loop-exit": "ADJ107",
    "where-nan": "ADJ501",
    "singular": "ADJ502",
}


def rows(areas: tuple[str, ...]) -> list[dict[str, str]]:
    with (ROOT / "truth.tsv").open(encoding="utf-8") as stream:
        found = list(csv.DictReader(stream, delimiter="\t"))
    return [row for row in found if row["area"].partition("_")[0] in areas]


def code_for(row: dict[str, str]) -> str:
    """The rule a program would be flagged by; look-alikes get the one of their area."""
    cause = row["cause"]
    if cause in CODE_OF_CAUSE:
        return CODE_OF_CAUSE[cause]
    return "ADJ502" if row["area"].startswith("12") else "ADJ104" if row["area"].startswith("03") else "ADJ203"


def finding(path: str, qualname: str, line: int, code: str) -> Finding:
    location = Location(path, line, 1, line, 2)
    return Finding(
        code, "scoreboard", Severity.ERROR, location, "scoreboard", subject=Subject("kernel", qualname, path, line)
    )


def kernels(project: Project, file: Path) -> list[tuple[str, int]]:
    """Kernels of a program except those that only sum up its loss."""
    from warp_lint.confirm.extract import Extractor

    module = project.module_at(file)
    extractor = Extractor(project)
    assert module is not None
    return [
        (definition.qualname, definition.location.line)
        for definition in module.functions()
        if extractor.role(definition) == "kernel" and definition.name not in LOSSES
    ]


def confirm(chosen: list[dict[str, str]], options: ConfirmOptions) -> list[tuple[dict[str, str], list[Finding]]]:
    """Findings with verdicts for every program; one project, so that kernels share subprocesses."""
    project = Project(ROOT)
    wanted = []
    for row in chosen:
        file = ROOT / row["path"]
        module = project.module_at(file)
        assert module is not None
        wanted += [finding(module.path, q, line, code_for(row)) for q, line in kernels(project, file)]
    by_path: dict[str, list[Finding]] = {}
    for made in confirm_kernels(wanted, project, options):
        by_path.setdefault(made.location.path, []).append(made)
    return [(row, by_path.get(project.display(ROOT / row["path"]), [])) for row in chosen]


def judge(row: dict[str, str], found: list[Finding], version: str) -> tuple[str, Finding | None]:
    """ "ok", "missed" (a wrong program not confirmed), "false" (a right one confirmed) or "open"."""
    states = {f.verdict.status for f in found if f.verdict is not None}
    shown = next((f for f in found if f.verdict and f.verdict.status is Status.CONFIRMED), found[0] if found else None)
    truth = row[version]
    if truth in ("wrong", "zero", "nonfinite"):
        return ("ok" if Status.CONFIRMED in states else "missed"), shown
    if row["case"].endswith("not differentiable"):
        return "skipped", shown  # decided by the host: every array counts as differentiable here
    if truth == "right":
        if Status.CONFIRMED in states:
            return "false", shown
        return ("ok" if states <= {Status.REFUTED, Status.UNTESTED} else "open"), shown
    return "skipped", shown


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("areas", nargs="*", default=list(AREAS))
    parser.add_argument("--python", default=sys.executable)
    parser.add_argument("--version", default="1.19.0")
    parser.add_argument("--cache", default=str(Path(tempfile.gettempdir()) / "warp-lint-scoreboard"))
    parser.add_argument("-v", action="store_true")
    arguments = parser.parse_args()
    options = ConfirmOptions(python=arguments.python, cache_dir=Path(arguments.cache))
    table: dict[str, Counter[str]] = {}
    started = time.monotonic()
    for row, found in confirm(rows(tuple(arguments.areas)), options):
        outcome, shown = judge(row, found, arguments.version)
        table.setdefault(row["area"], Counter())[outcome] += 1
        if outcome not in ("ok", "skipped") or arguments.v:
            verdict = shown.verdict if shown is not None else None
            print(f"{outcome:7} {row['path']} [{row[arguments.version]}] {code_for(row)}: {verdict}", flush=True)
        elif outcome == "ok" and shown is not None and shown.verdict is not None and shown.verdict.where:
            array = shown.verdict.where.partition("[")[0].rpartition(".")[2]
            if row[arguments.version] != "right" and array not in row["wrong_params"].split(","):
                print(f"array   {row['path']} {shown.verdict.where}, the table has {row['wrong_params']}", flush=True)
    for area, counts in table.items():
        print(f"{area:24} " + "  ".join(f"{k} {v}" for k, v in sorted(counts.items())))
    print(f"{time.monotonic() - started:.0f} s")
    return 0


if __name__ == "__main__":
    sys.exit(main())
