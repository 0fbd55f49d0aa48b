"""`python -m warp_lint`."""

from __future__ import annotations

from warp_lint.cli import run

run()
