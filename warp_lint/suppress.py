"""Comments that silence findings: `# noqa: ADJ101`, `# warp-lint: ignore[ADJ101] reason`.

A comment covers the whole logical line it stands in, however many lines that has; a `warp-lint:`
comment on a line of its own covers the next one.
"""

from __future__ import annotations

import io
import re
import tokenize
from bisect import bisect_left
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field

from warp_lint.codes import RULES
from warp_lint.findings import Finding, Location
from warp_lint.selection import UnknownCode, parse_code

_NOQA = re.compile(
    r"#\s*(?P<file>(?:flake8|ruff)\s*:\s*)?noqa(?:\s*:\s*(?P<list>[A-Z]+[0-9]+(?:[,\s]+[A-Z]+[0-9]+)*))?", re.I
)
_NAMES_US = re.compile(r"#[^\n]*(?:warp-lint|noqa[^\n]*ADJ)", re.I)
_MAY_SILENCE = re.compile(r"#[^\n]*(?:warp-lint|noqa[^\n]*ADJ|noqa(?!\s*:\s*[A-Z]+[0-9]))", re.I)
_OWN = re.compile(r"#\s*warp-lint\s*:\s*(?P<verb>[\w-]*)\s*(?:\[(?P<list>[^\]]*)\])?", re.I)


@dataclass(slots=True)
class Suppression:
    """One comment. `codes` None: every rule. Lines are inclusive; a file-level one covers all."""

    location: Location
    first: int
    last: int
    codes: tuple[str, ...] | None
    whole_file: bool = False
    own: bool = True  # ours, not noqa
    used: set[str] = field(default_factory=set)

    def covers(self, finding: Finding) -> bool:
        if not self.whole_file and not self.first <= finding.location.line <= self.last:
            return False
        if self.codes is None:
            return True
        return any(finding.code.startswith(code) for code in self.codes)

    def record(self, finding: Finding) -> None:
        self.used.update(code for code in self.codes or ("",) if finding.code.startswith(code))


@dataclass(slots=True)
class Suppressions:
    """The comments of one file; `mistakes`: comments that can't be understood, with the reason."""

    comments: list[Suppression] = field(default_factory=list)
    mistakes: list[tuple[Location, str]] = field(default_factory=list)

    def apply(self, findings: Iterable[Finding], noqa: bool = True) -> list[Finding]:
        """The findings that no comment silences. `noqa` False: the caller honours `# noqa` on a finding's own
        line itself."""
        kept = []
        for finding in findings:
            silent = False
            for comment in self.comments:
                if comment.covers(finding):
                    comment.record(finding)
                    elsewhere = comment.location.line != finding.location.line
                    silent = silent or noqa or comment.own or elsewhere
            if not silent:
                kept.append(finding)
        return kept

    def unused(self, judged: Callable[[str], bool]) -> list[Finding]:
        """ADJ902 for comments that silence nothing, and for mistakes. `judged`: could the rule, or some
        rule with this prefix, have reported here at all?"""
        found = [_finding(location, message) for location, message in self.mistakes]
        for comment in self.comments:
            if comment.codes is None:
                if comment.own and not comment.used and judged(""):
                    found.append(_finding(comment.location, "this comment suppresses nothing"))
                continue
            idle = [code for code in comment.codes if code not in comment.used and judged(code)]
            if idle:
                codes = ", ".join(f"`{code}`" for code in idle)
                found.append(_finding(comment.location, f"this comment suppresses {codes}, which is not reported here"))
        return found


def _finding(location: Location, message: str) -> Finding:
    rule = RULES["ADJ902"]
    return Finding(rule.code, rule.name, rule.severity, location, message, help="remove the comment, or correct it")


def must_read(source: str, findings: bool) -> bool:
    """A cheap look before the tokenizer's: may comments matter? Where nothing is found, only those that
    name our rules do, to be called unused."""
    return (_MAY_SILENCE if findings else _NAMES_US).search(source) is not None


def read(source: str, path: str) -> Suppressions:
    """The suppressions of a file that parses; none if the tokenizer gives up on it."""
    result = Suppressions()
    try:
        tokens = list(tokenize.generate_tokens(io.StringIO(source).readline))
    except (tokenize.TokenError, SyntaxError, ValueError, RecursionError, MemoryError):
        return result
    spans = _logical_lines(tokens)
    ends = [last for _, last in spans]
    for token in tokens:
        if token.type != tokenize.COMMENT:
            continue
        line, column = token.start[0], token.start[1] + 1
        location = Location(path, line, column, line, column + len(token.string))
        at = bisect_left(ends, line)
        span = spans[at] if at < len(spans) else (line, line)
        _read_comment(token.string, location, span, line < span[0], result)
    return result


def _read_comment(text: str, location: Location, span: tuple[int, int], alone: bool, result: Suppressions) -> None:
    match = _OWN.search(text)
    if match:
        verb = match["verb"].lower()
        if verb not in ("ignore", "ignore-file"):
            result.mistakes.append((location, f"`{match['verb']}` is neither `ignore` nor `ignore-file`"))
            return
        codes = _own_codes(match["list"], location, result)
        if codes != ():
            result.comments.append(Suppression(location, *span, codes, whole_file=verb == "ignore-file"))
    match = _NOQA.search(text)
    if match and (match["file"] or not alone):
        listed = match["list"]
        codes = None
        if listed is not None:
            codes = tuple(code.upper() for code in re.split(r"[,\s]+", listed) if code.upper().startswith("ADJ"))
        if codes != ():
            comment = Suppression(location, *span, codes, whole_file=bool(match["file"]), own=False)
            result.comments.append(comment)


def _own_codes(listed: str | None, location: Location, result: Suppressions) -> tuple[str, ...] | None:
    if listed is None:
        return None
    codes = []
    for word in re.split(r"[,\s]+", listed):
        if not word:
            continue
        try:
            codes.append(parse_code(word))
        except UnknownCode as error:
            result.mistakes.append((location, str(error)))
    return tuple(codes)


def _logical_lines(tokens: Sequence[tokenize.TokenInfo]) -> list[tuple[int, int]]:
    """First and last line of each logical line, in order."""
    spans: list[tuple[int, int]] = []
    start: int | None = None
    for token in tokens:
        if token.type == tokenize.NEWLINE:
            if start is not None:
                spans.append((start, token.start[0]))
            start = None
        elif start is None and token.type not in (
            tokenize.COMMENT,
            tokenize.NL,
            tokenize.INDENT,
            tokenize.DEDENT,
            tokenize.ENDMARKER,
        ):
            start = token.start[0]
    return spans
