"""Reading what the catalogue's and the corpus' programs print, and the marks in their sources."""

from __future__ import annotations

import math
import re
from pathlib import Path

NUMBER = re.compile(r"nan|[-+]?inf|[-+]?\d+(?:\.\d*)?(?:[eE][-+]?\d+)?")
MARK = re.compile(r"#\s*(ADJ\d{3}(?:,\s*ADJ\d{3})*)")


def printed(output: str, label: str) -> list[float]:
    """The numbers of all lines `label = ...` of a program's output, in order; the label may be followed by a name."""
    numbers: list[float] = []
    for line in output.splitlines():
        head, equals, values = line.partition("=")
        if equals and re.fullmatch(rf"{label}(?: [\w.]+)?", head.strip()):
            numbers += [float(n) for n in NUMBER.findall(values)]
    return numbers


def agree(ad: list[float], fd: list[float], tolerance: float = 1e-3) -> bool:
    """Whether two gradients are the same but for rounding; a NaN or infinity agrees with nothing."""
    if len(ad) != len(fd) or not ad:
        return False
    scale = max([abs(v) for v in fd if math.isfinite(v)] + [1e-6])
    return all(math.isfinite(a) and abs(a - f) <= tolerance * scale for a, f in zip(ad, fd, strict=True))


def marks(path: Path) -> list[tuple[str, int]]:
    """Expected findings of a source file as (code, line), sorted by line: comments `# ADJ104` at the end of a line."""
    found = []
    for number, line in enumerate(path.read_text("utf-8").splitlines(), 1):
        match = MARK.search(line)
        if match:
            found += [(code.strip(), number) for code in match.group(1).split(",")]
    return sorted(found, key=lambda mark: (mark[1], mark[0]))
