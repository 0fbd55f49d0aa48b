"""Front ends over a stand-in for the analysis: they are tested for what they do with findings."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path

import pytest

from warp_lint import analysis, cli
from warp_lint.codes import RULES
from warp_lint.findings import Finding, Location, Severity

MARK = re.compile(r"\bPLANT(\w*) (ADJ\d+)")


@pytest.fixture
def planted(monkeypatch: pytest.MonkeyPatch) -> list[Path]:
    """The analysis finds what the sources say: `x = 1  # PLANT ADJ101` (`PLANTinfo` sets the severity).

    Returns the list of files that it was asked about.
    """
    asked: list[Path] = []

    def analyse(project, texts, trees, settings, differentiated, jobs=1):
        outcome = analysis.Outcome()
        for file, text in texts.items():
            asked.append(file)
            if project.add(file, text, trees.get(file)) is None:
                continue
            for number, line in enumerate(text.split("\n"), 1):
                for severity, code in MARK.findall(line):
                    rule = RULES[code]
                    level = Severity[severity.upper()] if severity else rule.severity
                    place = Location(project.display(file), number, 1, number, 2)
                    outcome.findings.append(Finding(code, rule.name, level, place, f"planted {code}"))
        outcome.errors += project.errors
        return outcome

    monkeypatch.setattr(analysis, "analyse", analyse)
    return asked


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]):
    """Run the command line in the test's folder: `run("--format", "json", "a.py")` -> (code, out, err)."""
    monkeypatch.chdir(tmp_path)
    for name in ("NO_COLOR", "FORCE_COLOR"):
        monkeypatch.delenv(name, raising=False)

    def call(*arguments: str) -> tuple[int, str, str]:
        code = cli.main(list(arguments))
        captured = capsys.readouterr()
        return code, captured.out, captured.err

    return call


@pytest.fixture
def lint(run: Callable[..., tuple[int, str, str]]):
    """Run and give (exit code, [(path, line, code), …])."""

    def call(*arguments: str) -> tuple[int, list[tuple[str, int, str]]]:
        code, out, _ = run("--format", "json", *arguments)
        document = json.loads(out)
        return code, [(item["path"], item["line"], item["code"]) for item in document["findings"]]

    return call
