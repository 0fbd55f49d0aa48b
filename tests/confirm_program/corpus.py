"""The corpus under the program confirmer: each program with its static findings, against its labels.

    python -m tests.confirm_program.corpus [NAME …] [--python PYTHON] [--no-static] [--verbose]

A bad program is as it should be if each planted error comes out confirmed under its own rule at its own line
and nothing else is confirmed; a good one if its gradients are right.
"""

from __future__ import annotations

import argparse
import os
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from warp_lint.config import Overrides
from warp_lint.confirm.options import ConfirmOptions
from warp_lint.confirm.program import ProgramReport, confirm_program
from warp_lint.engine import Request, lint

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

CORPUS = Path(__file__).resolve().parents[2] / "test_corpus"
NAMES = sorted(path.parent.name for path in CORPUS.glob("*/labels.toml"))
PAIRS = [name for name in NAMES if (CORPUS / name / "bad").is_dir()]

Place = tuple[str, int, str]


@dataclass
class Outcome:
    """What a run of one twin gave: confirmed findings, those with other verdicts, and the labels."""

    report: ProgramReport
    planted: list[Place]
    confirmed: list[Place]
    others: list[tuple[Place, str]]

    @property
    def complaints(self) -> list[str]:
        result = [f"{path}:{line} {code} is not confirmed" for path, line, code in self.planted
                  if (path, line, code) not in self.confirmed]  # fmt: skip
        result += [f"{path}:{line} {code} is confirmed and not planted" for path, line, code in self.confirmed
                   if (path, line, code) not in self.planted]  # fmt: skip
        if not self.planted and self.report.status != "right":
            result.append(self.report.sentence)
        return result


def labels(name: str) -> dict[str, Any]:
    return tomllib.loads((CORPUS / name / "labels.toml").read_text("utf-8"))


def outcome(name: str, twin: str, static: bool = True, options: ConfirmOptions | None = None) -> Outcome:
    """Run one twin in its own folder, quietly."""
    folder, label = CORPUS / name / twin, labels(name)
    here = os.getcwd()
    null = os.open(os.devnull, os.O_WRONLY)
    saved = os.dup(2)
    os.chdir(folder)
    try:
        findings = list(lint(Request([folder], Overrides(), cache=False)).findings) if static else []
        os.dup2(null, 2)
        options = options or ConfirmOptions()
        quiet = ConfirmOptions(python=options.python, total_timeout=options.total_timeout, output=null)
        report = confirm_program([label["entry"]], findings, None, quiet)
    finally:
        os.dup2(saved, 2)
        os.close(null)
        os.close(saved)
        os.chdir(here)
    confirmed, others = [], []
    for finding in report.findings:
        path = os.path.relpath(folder / finding.location.path, folder)
        place = (path.replace(os.sep, "/"), finding.location.line, finding.code)
        status = str(finding.verdict.status) if finding.verdict is not None else "none"
        if status == "confirmed":
            confirmed.append(place)
        else:
            others.append((place, f"{status}: {finding.verdict.reason if finding.verdict else ''}"))
    planted = [(f["file"], f["line"], f["code"]) for f in label["finding"]] if twin == "bad" else []
    return Outcome(report, sorted(planted), sorted(confirmed), sorted(others))


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("names", nargs="*")
    parser.add_argument("--python", default=sys.executable)
    parser.add_argument("--no-static", action="store_true")
    parser.add_argument("--verbose", action="store_true")
    arguments = parser.parse_args()
    count = good = 0
    for name in arguments.names or NAMES:
        for twin in ("bad", "good"):
            if not (CORPUS / name / twin).is_dir():
                continue
            found = outcome(name, twin, not arguments.no_static, ConfirmOptions(python=arguments.python))
            count += 1
            good += not found.complaints
            seconds = f"{found.report.seconds:.0f} s, {found.report.checking:.0f} s of it checks"
            print(f"{name}/{twin}: {'ok' if not found.complaints else ''} ({seconds}) {found.report.sentence}")
            for text in (*found.complaints, *(f"  {place} {why}" for place, why in found.others)):
                print(f"    {text}", flush=True)
            if arguments.verbose:
                print("\n".join(f"    | {line}" for line in found.report.observations), flush=True)
    print(f"{good} of {count}")


if __name__ == "__main__":
    main()
