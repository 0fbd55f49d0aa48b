"""The flake8 plug-in: the command line's findings for one file.

flake8 loads this for every run, so nothing but the standard library's lightest parts is imported
before a file turns out to use Warp.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

from warp_lint import __version__

Violation = tuple[int, int, str, type]

_STDIN = ("-", "stdin", "/dev/stdin", "")


class Plugin:
    """flake8 makes one per file, and asks it to run once."""

    name = "warp-lint"
    version = __version__

    def __init__(self, tree: ast.AST, filename: str, lines: Sequence[str]) -> None:
        self.tree = tree
        self.filename = filename
        self.lines = lines

    def run(self) -> Iterator[Violation]:
        """Line (1-based), column (0-based), text, and the class, as flake8 wants them."""
        if any("warp" in line for line in self.lines):
            yield from _lint(self.tree, self.filename, "".join(self.lines))


def _lint(tree: ast.AST, filename: str, source: str) -> Iterator[Violation]:
    from pathlib import Path

    from warp_lint.config import ConfigError
    from warp_lint.discover import absolute
    from warp_lint.engine import Displayer, Request, lint

    file = absolute(Path("<stdin>" if filename in _STDIN else filename))
    source = source.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n")
    trees = {file: tree} if isinstance(tree, ast.Module) else {}
    try:
        result = lint(Request((file,), buffers={file: source}, trees=trees, noqa=False))
    except ConfigError as error:
        yield 1, 0, f"ADJ903 configuration not read: {error}", Plugin
        return
    shown = Displayer(Path.cwd())(file)
    for trouble in result.errors:
        yield trouble.line, trouble.column - 1, f"{trouble.code or 'ADJ903'} {trouble.message}", Plugin
    for finding in result.findings:
        if finding.location.path == shown:
            text = f"{finding.code} {finding.message}"
            yield finding.location.line, finding.location.column - 1, text, Plugin
