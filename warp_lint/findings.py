"""Findings: what a rule reports, and what `--confirm` says of it."""

from __future__ import annotations

import enum
import hashlib
from dataclasses import dataclass, field, replace


class Severity(enum.IntEnum):
    """How sure and how bad: ordered, so that thresholds compare."""

    INFO = 1
    WARNING = 2
    ERROR = 3

    def __str__(self) -> str:
        return self.name.lower()

    def lowered(self) -> Severity:
        """One step less severe; `INFO` stays `INFO`."""
        return Severity(max(self.value - 1, Severity.INFO.value))


class Status(enum.Enum):
    """Outcome of running the code a finding is about."""

    CONFIRMED = "confirmed"
    REFUTED = "refuted"
    INCONCLUSIVE = "inconclusive"
    UNTESTED = "untested"

    def __str__(self) -> str:
        return self.value


@dataclass(frozen=True, slots=True, order=True)
class Location:
    """A piece of source text.

    Lines and columns are 1-based; columns count characters. `end_column` is exclusive.
    """

    path: str
    line: int
    column: int
    end_line: int
    end_column: int


@dataclass(frozen=True, slots=True, order=True)
class Note:
    """A second place that explains a finding."""

    location: Location
    message: str


@dataclass(frozen=True, slots=True)
class Verdict:
    """What a run showed. `ad` and `fd` are the autodiff and finite-difference values compared.

    `where` names the array element or direction, `error` the relative difference of the two.
    """

    status: Status
    reason: str = ""
    method: str = ""
    ad: float | None = None
    fd: float | None = None
    error: float | None = None
    where: str = ""


@dataclass(frozen=True, slots=True)
class Subject:
    """What to run to prove a finding: a kernel or func by qualified name, or the program."""

    kind: str  # "kernel", "func" or "program"
    qualname: str
    path: str
    line: int


@dataclass(frozen=True, slots=True)
class Finding:
    """One wrong (or surprising) gradient, at one place."""

    code: str
    name: str
    severity: Severity
    location: Location
    message: str
    help: str = ""
    notes: tuple[Note, ...] = ()
    subject: Subject | None = None
    # The kernel-level key that makes fingerprints stable when lines move: source text of the line.
    context: str = ""
    verdict: Verdict | None = None
    fingerprint: str = field(default="")

    def sort_key(self) -> tuple[str, int, int, str, str]:
        loc = self.location
        return (loc.path, loc.line, loc.column, self.code, self.message)

    def with_severity(self, severity: Severity) -> Finding:
        return replace(self, severity=severity)

    def with_verdict(self, verdict: Verdict) -> Finding:
        return replace(self, verdict=verdict)


def fingerprint(code: str, path: str, context: str, occurrence: int) -> str:
    """Identity of a finding that survives moved lines: code, file, text of the line, count."""
    text = "\0".join((code, path, " ".join(context.split()), str(occurrence)))
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:16]


@dataclass(frozen=True, slots=True)
class LintError:
    """An input that could not be read or analysed; never a traceback. `code` is ADJ901 where the text
    itself is at fault (and may then be ignored like any rule)."""

    path: str
    line: int
    column: int
    message: str
    code: str = ""
