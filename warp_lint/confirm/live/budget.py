"""What checks may cost: a share of the program's own time so far. The whole run stays within a multiple of it."""

from __future__ import annotations

from collections.abc import Hashable

SHARE = 2.5  # checks and recording may take this many times the program's own time …
BASE = 3.5  # … and this many seconds
LEAST = 0.25
AGAIN = (1.5, 2.0)  # what a run in double precision takes: times the program's own time, and seconds


class Budget:
    """Times are processor seconds. `entries`: passes that are to be checked; `limit`: seconds for all checks,
    beside their share of the program's time."""

    def __init__(self, entries: int, limit: float = float("inf")) -> None:
        self.entries = entries
        self.limit = limit
        self.drowned = 0  # checks in a row whose differences drowned in rounding
        self._cheapest: dict[Hashable, float] = {}

    def left(self, own: float, spent: float) -> float:
        total = SHARE * own + BASE
        if self.drowned:
            # The program will be run again in double precision, where differences tell.
            total = max(total - AGAIN[0] * own - AGAIN[1], LEAST)
        return min(total, self.limit) - spent

    def next(self, own: float, spent: float, number: int, site: Hashable = None) -> float | None:
        """What the next check may take; None if there is no time for it. `own`, `spent`: times so far of the
        program, and of recording and checks; `number`: of the pass, from 1."""
        left = self.left(own, spent)
        if left < max(LEAST, self._cheapest.get(site, 0.0)):
            return None
        seconds = max(min(left / 2, left / max(self.entries - number, 1) * 2), LEAST)
        # Where differences drown, more of them would as well.
        return min(seconds, 2 * LEAST) if self.drowned >= 2 else seconds

    def took(self, seconds: float, site: Hashable = None) -> None:
        """A check is done: the next one at its call site will take as long at least."""
        self._cheapest[site] = min(seconds, self._cheapest.get(site, seconds))
