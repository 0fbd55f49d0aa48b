"""ADJ409 is info where a comment or a docstring says that the horizon is truncated."""

from __future__ import annotations

from pathlib import Path

import pytest

from warp_lint.config import Overrides
from warp_lint.engine import Request, lint

BAD = Path(__file__).resolve().parents[2] / "rules" / "ADJ409-truncated-horizon" / "bad.py"


@pytest.mark.parametrize(
    ("old", "new", "severity"),
    [
        ("def main():\n", "def main():\n", "warning"),
        ("def main():\n", 'def main():\n    """Optimise over a truncated horizon."""\n', "info"),
        ("  # ADJ409", "  # truncated on purpose", "info"),
        ("def main():\n", "# truncated\ndef main():\n", "warning"),  # not in the function
    ],
)
def test_severity(tmp_path: Path, old: str, new: str, severity: str) -> None:
    text = BAD.read_text()
    assert old in text
    file = tmp_path / "program.py"
    file.write_text(text.replace(old, new))
    found = lint(Request([file], overrides=Overrides(extend_select=("ADJ409",)), cache=False)).findings
    assert [(f.code, str(f.severity)) for f in found] == [("ADJ409", severity)]
