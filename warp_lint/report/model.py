"""What every report format is given."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from warp_lint.findings import Finding, LintError


@dataclass(frozen=True, slots=True)
class Report:
    """The outcome of one run. `lines` gives the source lines of a path, or None if it has none.

    `observations`: further statements of a `--confirm` run, ready to print. `color`: escape codes wanted.
    """

    findings: tuple[Finding, ...]
    errors: tuple[LintError, ...]
    warp_version: str
    files: int
    lines: Callable[[str], list[str] | None]
    observations: tuple[str, ...] = ()
    color: bool = False
    program: dict[str, Any] | None = None  # what `--confirm` saw of the program, as plain data

    def counts(self) -> Counter[str]:
        """Findings by severity, verdicts by status."""
        counter = Counter(str(finding.severity) for finding in self.findings)
        counter.update(str(finding.verdict.status) for finding in self.findings if finding.verdict)
        return counter
