"""`python -m warp_lint`."""

from __future__ import annotations

import sys

from warp_lint.cli import main

sys.exit(main())
