"""What a caller may set for `--confirm`."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path


def default_cache() -> Path:
    """Where generated modules and their compiled kernels are kept between runs."""
    base = os.environ.get("XDG_CACHE_HOME") or os.path.join(os.path.expanduser("~"), ".cache")
    return Path(base) / "warp-lint" / "confirm"


@dataclass(frozen=True, slots=True)
class ConfirmOptions:
    """`mode`: "findings" tests the kernels of findings, "all" every differentiable kernel too.

    `python`: the interpreter whose Warp is used. Times are in seconds: `kernel_timeout` bounds one
    kernel's numbers, `compile_timeout` the compilation of one file's kernels, `total_timeout` a
    whole program. `memory` bounds the address space of a worker in bytes (0: no bound).
    `progress(done, total, name)` is called as work goes on. `precision`: "auto" tests in double
    precision where the code allows it, "original" as written. `output`: file descriptor for what a
    program prints (None: our standard output). `tell` gets a sentence on the kernels that were run
    with mode "all".
    """

    mode: str = "findings"
    python: str = field(default_factory=lambda: sys.executable)
    cache_dir: Path = field(default_factory=default_cache)
    kernel_timeout: float = 6.0
    compile_timeout: float = 120.0
    total_timeout: float = 600.0
    memory: int = 16 << 30
    seed: int = 0
    precision: str = "auto"
    backwards: int = 9
    stop: bool = False
    output: int | None = None
    progress: Callable[[int, int, str], None] | None = None
    tell: Callable[[str], None] | None = None
