"""Which rules are on: prefixes of codes, rule names, and who wins when they disagree."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from warp_lint.codes import RULES
from warp_lint.findings import Finding, Severity

_NAMES = {rule.name: rule.code for rule in RULES.values()}
_PREFIX = re.compile(r"ADJ\d{0,3}")


class UnknownCode(ValueError):
    """A code, prefix or name that no rule has. The message suggests the nearest one."""


def parse_code(text: str) -> str:
    """A code or prefix in normal form (`adj1` -> `ADJ1`, `ping-pong` -> `ADJ301`).

    Raises UnknownCode if no rule answers to it.
    """
    word = text.strip()
    if word.lower() in _NAMES:
        return _NAMES[word.lower()]
    code = word.upper()
    if _PREFIX.fullmatch(code) and any(known.startswith(code) for known in RULES):
        return code
    raise UnknownCode(f"unknown rule `{word}`{suggest(word, [*RULES, *_NAMES])}")


def parse_codes(texts: Iterable[str]) -> tuple[str, ...]:
    """Codes from a list whose items may hold several, separated by commas or spaces."""
    return tuple(parse_code(word) for text in texts for word in re.split(r"[,\s]+", text) if word)


def suggest(word: str, known: Iterable[str]) -> str:
    """`; did you mean …?` for the nearest known word, or nothing."""
    import difflib

    by_folded = {name.lower(): name for name in known}
    near = difflib.get_close_matches(word.lower(), by_folded, n=1)
    return f"; did you mean `{by_folded[near[0]]}`?" if near else ""


@dataclass(frozen=True, slots=True)
class Selection:
    """Lists of prefixes from the configuration and from the command line; `default`: no list replaced
    the default one.

    The longest prefix that matches a code decides; of two equally long ones the command line's beats
    the configuration's, and ignoring beats selecting. Findings of severity `info` need a list that
    names them: the default doesn't.
    """

    default: bool = True
    select: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()
    command_select: tuple[str, ...] = ()
    command_ignore: tuple[str, ...] = ()

    def enabled(self, code: str, severity: Severity = Severity.ERROR) -> bool:
        best = (0, 0, 0) if self.default and severity > Severity.INFO else (-1, 0, 1)
        for layer, ignoring, prefixes in (
            (1, 0, self.select),
            (1, 1, self.ignore),
            (2, 0, self.command_select),
            (2, 1, self.command_ignore),
        ):
            for prefix in prefixes:
                if code.startswith(prefix):
                    best = max(best, (len(prefix), layer, ignoring))
        return best[2] == 0

    def shows(self, finding: Finding) -> bool:
        return self.enabled(finding.code, finding.severity)
