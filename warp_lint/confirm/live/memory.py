"""Host memory by address: read, write, compare, and view it as elements."""

from __future__ import annotations

import ctypes
from bisect import bisect_left, bisect_right, insort
from collections.abc import Iterable
from typing import Any

import numpy as np

from warp_lint.confirm.live.internals import span

Content = Any  # numpy array of uint8, never written to after it was taken


def raw(low: int, high: int) -> Any:
    """The bytes `[low, high)` themselves, writable."""
    buffer: Any = (ctypes.c_uint8 * (high - low)).from_address(low)
    return np.frombuffer(buffer, dtype=np.uint8)


def read(low: int, high: int) -> Content:
    """A copy of the bytes `[low, high)`."""
    return raw(low, high).copy()


def write(low: int, content: Content) -> None:
    ctypes.memmove(low, content.ctypes.data, content.size)


def same(low: int, content: Content) -> bool:
    """Whether memory at `low` equals `content`."""
    return bool(_memcmp(low, content.ctypes.data, content.size) == 0)


def _find_memcmp() -> Any:
    try:
        function = ctypes.CDLL(None).memcmp
        function.restype = ctypes.c_int
        function.argtypes = [ctypes.c_void_p, ctypes.c_void_p, ctypes.c_size_t]
        return function
    except (OSError, AttributeError, TypeError):
        return lambda a, b, n: int(ctypes.string_at(a, n) != ctypes.string_at(b, n))


_memcmp = _find_memcmp()


def elements(pointer: int, shape: tuple[int, ...], strides: tuple[int, ...], element: Any) -> Any:
    """Memory as a NumPy array of shape `shape + element.inner`, writable."""
    inner_strides: list[int] = []
    step = element.dtype.itemsize
    for n in reversed(element.inner):
        inner_strides.insert(0, step)
        step *= n
    full = (*shape, *element.inner)
    if not all(full):
        return np.empty(full, element.dtype)
    low, high = span(pointer, shape, strides, element.size)
    buffer: Any = (ctypes.c_uint8 * (high - low)).from_address(low)
    return np.ndarray(full, element.dtype, buffer, pointer - low, (*strides, *inner_strides))


class Contents:
    """Contents of extents over time; equal ones are held once. `size` is in bytes, `seconds` the processor time
    that recording has taken."""

    def __init__(self) -> None:
        self._last: dict[tuple[int, int], Content] = {}
        self._starts: list[int] = []  # of extents whose contents are held, sorted
        self.size = 0
        self.seconds = 0.0

    def take(self, low: int, high: int) -> Content:
        key = (low, high)
        last = self._last.get(key)
        if last is not None and same(low, last):
            return last
        content = read(low, high)
        if last is None:
            insort(self._starts, low)
        self._last[key] = content
        self.size += content.size
        return content

    def forget(self, kept: Iterable[int] = ()) -> None:
        """Start anew. `kept`: starts of the extents whose contents are still held."""
        self._last.clear()
        self._starts = sorted(kept)

    def within(self, low: int, high: int) -> bool:
        """Whether contents are held of an extent that starts in `[low, high)`."""
        index = bisect_left(self._starts, low)
        return index < len(self._starts) and self._starts[index] < high


class Saved:
    """Contents of extents that are given back on exit, whatever happened to them."""

    def __init__(self, extents: Iterable[tuple[int, int]]) -> None:
        self._saved = [(low, read(low, high)) for low, high in merged(extents)]

    def restore(self) -> None:
        for low, content in self._saved:
            write(low, content)

    def __enter__(self) -> Saved:
        return self

    def __exit__(self, *_: object) -> None:
        self.restore()


def merged(extents: Iterable[tuple[int, int]]) -> list[tuple[int, int]]:
    """Disjoint extents that cover the given ones; those that overlap become one."""
    result: list[tuple[int, int]] = []
    for low, high in sorted(set(extents)):
        if high <= low:
            continue
        if result and low < result[-1][1]:
            result[-1] = (result[-1][0], max(result[-1][1], high))
        else:
            result.append((low, high))
    return result


def locate(regions: list[tuple[int, int]], low: int) -> int:
    """Index of the region that holds address `low`, or -1. `regions` is sorted and disjoint."""
    index = bisect_right(regions, (low, 1 << 63)) - 1
    return index if index >= 0 and regions[index][0] <= low < regions[index][1] else -1
