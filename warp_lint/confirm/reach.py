"""Which marked statements inputs reach: kernels that print a mark in front of each are run forward only."""

from __future__ import annotations

import contextlib
import ctypes
import os
import re
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

from warp_lint.confirm.gradient import Sample, Stage, prepare, test_scenario
from warp_lint.confirm.memory import UnsupportedError
from warp_lint.confirm.scenarios import REGULAR, Facts, Scenario

SEARCHES = 40  # draws of all scenarios, in search of inputs that reach what none has reached
FOUND = 6  # of them are tested
LARGEST = 1 << 22  # bytes of marks that are read


class Listener:
    """What compiled code prints while something runs."""

    def __init__(self) -> None:
        self._file = tempfile.TemporaryFile()  # noqa: SIM115
        self._c = ctypes.CDLL(None)

    def marks(self, run: Callable[[], None]) -> set[int]:
        self._c.fflush(None)
        before = os.dup(1)
        self._file.seek(0)
        self._file.truncate()
        os.dup2(self._file.fileno(), 1)
        try:
            run()
        finally:
            self._c.fflush(None)
            os.dup2(before, 1)
            os.close(before)
        self._file.seek(0)
        return {int(number) for number in re.findall(rb"@wl(\d+)@", self._file.read(LARGEST))}


def reached(
    marked: Any,
    kernel: Any,
    facts: Facts,
    double: bool,
    seed: int,
    wanted: set[int],
    budget: float,
    stage: Stage,
    tell: Callable[[set[int], Sample | None], None],
) -> None:
    """Find the marks that the regular inputs reach, and sample the kernel proper on further inputs that reach
    one that those don't. `tell` is called with every new mark or sample at once: the next inputs may be
    the end of the process. `budget`: seconds."""
    listener = Listener()
    deadline = time.monotonic() + budget
    regular: set[int] = set()
    tested: Counter[int] = Counter()
    for repeat, index, scenario in _draws():
        missing = {mark for mark in wanted - regular if tested[mark] < FOUND} if repeat else wanted
        if not missing or time.monotonic() > deadline:
            break
        here = listener.marks(lambda: _forward(marked, facts, scenario, seed + repeat, index))  # noqa: B023
        if not repeat:
            if here & wanted - regular:
                tell(here & wanted, None)
            regular |= here & wanted
        elif here & missing:
            sample = test_scenario(kernel, facts, scenario, double, seed + repeat, index, stage)
            tested.update(here & missing)
            tell(here & missing, sample)


def _draws() -> Iterator[tuple[int, int, Scenario]]:
    for repeat in range(SEARCHES):
        for index, scenario in enumerate(REGULAR):
            yield repeat, index, replace(scenario, floats="literals") if repeat % 3 == 2 else scenario


def _forward(kernel: Any, facts: Facts, scenario: Scenario, seed: int, index: int) -> None:
    with contextlib.suppress(UnsupportedError):
        prepare(kernel, facts, scenario, seed, index).memory.release()
