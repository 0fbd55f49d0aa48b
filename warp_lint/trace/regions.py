"""Regions of memory as keys: a map from regions to values that answers overlap queries quickly.

Trajectory buffers put thousands of rows into one allocation, so a query must not look at all of them.
"""

from __future__ import annotations

from bisect import bisect_left, insort
from collections.abc import Iterator
from typing import Generic, TypeVar

from warp_lint.trace.model import Extent, Overlap, Region, overlap

Value = TypeVar("Value")

WHOLE = Extent(0, None)


def leading(region: Region) -> tuple[int, int] | None:
    """The exact interval along the first dimension, or None if it is open or unknown."""
    if not region.extents:
        return None
    first = region.extents[0]
    if first.symbol or first.stop is None:
        return None
    return first.start, first.stop


def intersection(a: Region, b: Region) -> Region:
    """A region that holds every element in both; the smaller one where places are unknown."""
    extents = []
    longer, shorter = (a.extents, b.extents) if len(a.extents) >= len(b.extents) else (b.extents, a.extents)
    for k, x in enumerate(longer):
        y = shorter[k] if k < len(shorter) else WHOLE
        if x.symbol or y.symbol:
            extents.append(x if x.symbol else y)
            continue
        stops = [s for s in (x.stop, y.stop) if s is not None]
        extents.append(Extent(max(x.start, y.start), min(stops) if stops else None))
    return Region(a.root, tuple(extents))


def normal(region: Region, shape: tuple[int | None, ...] | None) -> Region:
    """The same region in one form: dimensions that are taken whole are open, and left out at the end."""
    if shape is None or not region.extents:
        return region
    extents = []
    for axis, extent in enumerate(region.extents):
        length = shape[axis] if axis < len(shape) else None
        if length is not None and not extent.symbol:
            stop = length if extent.stop is None else min(extent.stop, length)
            extent = WHOLE if extent.start == 0 and stop == length else Extent(extent.start, stop)
        extents.append(extent)
    while extents and extents[-1] == WHOLE:
        extents.pop()
    return Region(region.root, tuple(extents))


class RegionMap(Generic[Value]):
    """Values by region of one allocation."""

    __slots__ = ("_rest", "_rows", "_starts", "_width")

    def __init__(self) -> None:
        self._rest: dict[Region, Value] = {}
        self._rows: dict[int, dict[Region, Value]] = {}
        self._starts: list[int] = []
        self._width = 0

    def __len__(self) -> int:
        return len(self._rest) + sum(len(row) for row in self._rows.values())

    def get(self, region: Region) -> Value | None:
        bounds = leading(region)
        if bounds is None:
            return self._rest.get(region)
        return self._rows.get(bounds[0], {}).get(region)

    def set(self, region: Region, value: Value) -> None:
        bounds = leading(region)
        if bounds is None:
            self._rest[region] = value
            return
        start, stop = bounds
        row = self._rows.get(start)
        if row is None:
            row = self._rows[start] = {}
            insort(self._starts, start)
        row[region] = value
        self._width = max(self._width, stop - start)

    def remove(self, region: Region) -> None:
        bounds = leading(region)
        if bounds is None:
            self._rest.pop(region, None)
            return
        row = self._rows.get(bounds[0])
        if row is not None:
            row.pop(region, None)
            if not row:
                del self._rows[bounds[0]]
                del self._starts[bisect_left(self._starts, bounds[0])]

    def items(self) -> Iterator[tuple[Region, Value]]:
        yield from self._rest.items()
        for start in self._starts:
            yield from self._rows[start].items()

    def overlapping(self, region: Region) -> list[tuple[Region, Value, Overlap]]:
        """Entries that share elements with a region, or may."""
        found: list[tuple[Region, Value, Overlap]] = []
        for key, value in self._rest.items():
            shared = overlap(key, region)
            if shared is not Overlap.NONE:
                found.append((key, value, shared))
        if not self._starts:
            return found
        bounds = leading(region)
        starts = self._starts
        if bounds is not None:
            low = bisect_left(starts, bounds[0] - self._width + 1)
            starts = starts[low : bisect_left(starts, bounds[1])]
        for start in starts:
            for key, value in self._rows[start].items():
                shared = overlap(key, region)
                if shared is not Overlap.NONE:
                    found.append((key, value, shared))
        return found
