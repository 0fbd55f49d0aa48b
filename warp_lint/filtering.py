"""What a configuration and a command line let through, file by file."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from warp_lint.codes import RULES
from warp_lint.config import Config, Overrides
from warp_lint.discover import patterns
from warp_lint.findings import Finding, Severity

if TYPE_CHECKING:
    from packaging.version import Version

# Needs `--confirm`, or is about the tool itself.
_NEVER_JUDGED = ("ADJ206", "ADJ901", "ADJ902", "ADJ903")


class FileFilter:
    """The rules that are on in one file."""

    def __init__(self, config: Config, overrides: Overrides, file: Path) -> None:
        self.selection = overrides.selection(config)
        self.ignored = per_file_ignores(config, file)

    def enabled(self, code: str, severity: Severity = Severity.ERROR) -> bool:
        return self.selection.enabled(code, severity) and not code.startswith(self.ignored)

    def shows(self, finding: Finding) -> bool:
        return self.enabled(finding.code, finding.severity)

    def judged(self, prefix: str, target: Version, whole: bool) -> bool:
        """May a comment that names this prefix be called unused? Only if all its rules are on and could
        have reported. `whole`: folders were linted; a single file may not show the program around it."""
        codes = [code for code in RULES if code.startswith(prefix) and code not in _NEVER_JUDGED]
        if not whole and any(code.startswith(("ADJ3", "ADJ4")) for code in codes):
            return False
        return bool(codes) and all(self.enabled(code) and applies(code, target) for code in codes)


def per_file_ignores(config: Config, file: Path) -> tuple[str, ...]:
    """Prefixes of the codes that the configuration ignores in this file."""
    codes: list[str] = []
    for pattern, ignored in config.per_file_ignores:
        try:
            relative = file.relative_to(config.root).as_posix()
        except ValueError:
            continue
        if patterns([pattern]).match_file(relative):
            codes += ignored
    return tuple(codes)


def applies(code: str, target: Version) -> bool:
    """Does the rule exist in this version of Warp?"""
    versions = RULES[code].versions if code in RULES else ""
    if not versions:
        return True
    from packaging.specifiers import SpecifierSet

    return SpecifierSet(versions).contains(target, prereleases=True)
