"""`--format text`: for people, and for grep: one line per finding starts with `path:line:column:`."""

from __future__ import annotations

import unicodedata

from warp_lint.codes import RULES
from warp_lint.findings import Finding, LintError, Location, Status, Verdict
from warp_lint.report.model import Report

_COLORS = {
    "error": "\033[1;31m",
    "warning": "\033[1;33m",
    "info": "\033[1;36m",
    "bold": "\033[1m",
    "blue": "\033[1;34m",
    "green": "\033[1;32m",
}
_RESET = "\033[0m"
_WIDTH = 120  # source lines longer than this are cut around the caret
_TAB = 4


def render(report: Report) -> str:
    """The whole report as text that ends in a newline; the last line starts with `SUMMARY:`."""
    writer = _Writer(report)
    for error in report.errors:
        writer.error(error)
    for finding in report.findings:
        writer.finding(finding)
    for observation in report.observations:
        writer.out.append(observation.rstrip("\n"))
    writer.out.append(summary(report))
    return "\n".join(writer.out) + "\n"


def summary(report: Report) -> str:
    return f"SUMMARY: warp-lint: {counted(report)}"


def counted(report: Report) -> str:
    """Findings by severity and verdict, files, and what could not be analysed."""
    counts = report.counts()
    parts = [_count(counts[kind], kind) for kind in ("error", "warning") if counts[kind]]
    if counts["info"]:
        parts.append(f"{counts['info']} info")
    text = ", ".join(parts) or "no findings"
    verdicts = [f"{counts[str(status)]} {status}" for status in Status if counts[str(status)]]
    if verdicts:
        text += f" ({', '.join(verdicts)})"
    text += f" in {_count(report.files, 'file')}"
    if report.errors:
        text += f"; {_count(len(report.errors), 'input')} could not be analysed"
    return text


def _count(number: int, word: str) -> str:
    return f"{number} {word}{'' if number == 1 else 's'}"


class _Writer:
    def __init__(self, report: Report) -> None:
        self.report = report
        self.out: list[str] = []

    def paint(self, color: str, text: str) -> str:
        return f"{_COLORS[color]}{text}{_RESET}" if self.report.color else text

    def error(self, error: LintError) -> None:
        place = self.paint("bold", f"{_plain(error.path)}:{error.line}:{error.column}:")
        tag = f"{error.code} {RULES[error.code].name}" if error.code else "error"
        self.out.append(f"{place} {self.paint('error', tag)}: {_plain(error.message)}")
        if error.code:
            self.source(Location(error.path, error.line, error.column, error.line, error.column + 1), "error")
        self.out.append("")

    def finding(self, finding: Finding) -> None:
        location = finding.location
        severity = str(finding.severity)
        place = self.paint("bold", f"{_plain(location.path)}:{location.line}:{location.column}:")
        tag = self.paint(severity, f"{severity}[{finding.code}]")
        self.out.append(f"{place} {tag} {finding.name}: {_plain(finding.message)}")
        self.source(location, severity)
        for note in finding.notes:
            at = note.location
            label = self.paint("blue", "note:")
            self.out.append(f"  {label} {_plain(at.path)}:{at.line}:{at.column}: {_plain(note.message)}")
            self.source(at, "blue")
        if finding.help:
            self.out.append(f"  {self.paint('green', 'help:')} {_plain(finding.help)}")
        if finding.verdict:
            self.verdict(finding.verdict)
        self.out.append("")

    def verdict(self, verdict: Verdict) -> None:
        color = "error" if verdict.status is Status.CONFIRMED else "blue"
        parts = []
        if verdict.ad is not None and verdict.fd is not None:
            numbers = f"autodiff {_number(verdict.ad)}, finite differences {_number(verdict.fd)}"
            if verdict.error is not None:
                numbers += f", relative error {verdict.error:.2g}"
            parts.append(numbers)
        if verdict.where:
            parts.append(f"at {_plain(verdict.where)}")
        text = " ".join(parts)
        if verdict.reason:
            text += f"{'; ' if text else ''}{_plain(verdict.reason)}"
        if verdict.method:
            text += f" ({_plain(verdict.method)})" if text else _plain(verdict.method)
        label = self.paint(color, f"{verdict.status}:")
        self.out.append(f"  {label} {text}".rstrip())

    def source(self, location: Location, color: str) -> None:
        lines = self.report.lines(location.path)
        if lines is None or not 1 <= location.line <= len(lines):
            return
        line = lines[location.line - 1]
        start = max(location.column - 1, 0)
        end = location.end_column - 1 if location.end_line == location.line else len(line)
        end = max(end, start + 1)
        text, first, last = _window(line, start, end)
        before = _display(text[:first])
        marked = _display(text[first:last])
        caret = " " * _columns(before) + "^" * max(_columns(marked), 1)
        number = f"{location.line:5d}"
        self.out.append(f"{self.paint('blue', f'{number} |')} {_display(text)}".rstrip())
        self.out.append(f"{self.paint('blue', '      |')} {self.paint(color, caret)}")


def _window(line: str, start: int, end: int) -> tuple[str, int, int]:
    """A piece of the line that shows `start`, and the marked range within the piece."""
    if len(line) <= _WIDTH:
        return line, start, min(end, max(len(line), start + 1))
    left = max(0, min(start - _WIDTH // 4, len(line) - _WIDTH))
    piece = line[left : left + _WIDTH]
    head = "…" if left else ""
    tail = "…" if left + _WIDTH < len(line) else ""
    shift = len(head) - left
    return head + piece + tail, start + shift, max(min(end + shift, len(head) + len(piece)), start + shift + 1)


def _display(text: str) -> str:
    """Safe for a terminal: tabs as spaces, control characters and lone surrogates as escapes."""
    return "".join(" " * _TAB if char == "\t" else char if _printable(char) else ascii(char)[1:-1] for char in text)


def _plain(text: str) -> str:
    if text.isascii() and text.isprintable():
        return text
    return "".join(char if _printable(char) else ascii(char)[1:-1] for char in text)


def _printable(char: str) -> bool:
    return char.isprintable() or unicodedata.combining(char) != 0


def _columns(text: str) -> int:
    """Width on a terminal: wide characters take two cells, combining ones none."""
    if text.isascii():
        return len(text)
    return sum(
        0 if unicodedata.combining(char) else 2 if unicodedata.east_asian_width(char) in "WF" else 1 for char in text
    )


def _number(value: float) -> str:
    return f"{value:.6g}"
