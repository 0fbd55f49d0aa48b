"""Grids and trees that launches query by a number: which state each launch saw, and how to get it back.

A `HashGrid` holds cells of the points it was built from, a `Mesh` or `Bvh` a tree over arrays that it keeps.
Rebuilding changes them in place, and no tape knows.
"""

from __future__ import annotations

import weakref
from typing import TYPE_CHECKING, Any

import numpy as np

from warp_lint.confirm.live.memory import Content, locate, read, write
from warp_lint.confirm.live.steps import Step, Touch

if TYPE_CHECKING:
    from warp_lint.confirm.live.internals import Warp
    from warp_lint.confirm.live.window import Window

ACTIONS = {"HashGrid": ("build",), "Mesh": ("refit",), "Bvh": ("refit", "rebuild")}
LARGEST_IDS = 1 << 12  # elements of the largest array that is searched for numbers of handles


class Handles:
    """Live grids and trees by number. `current`: the step that made the state each has now (None: not known)."""

    def __init__(self) -> None:
        self.objects: dict[int, weakref.ref[Any]] = {}
        self.current: dict[int, Step | None] = {}

    def know(self, handle: Any) -> None:
        number = int(getattr(handle, "id", 0) or 0)
        if number:
            self.objects[number] = weakref.ref(handle)
            self.current[number] = None

    def at(self, number: int) -> Any:
        reference = self.objects.get(number)
        return reference() if reference is not None else None

    def used(self, warp: Warp, step: Step) -> dict[int, Step | None]:
        """The handles that a launch gets, with the state that they have now."""
        if not self.objects:
            return {}
        numbers = {n for n in warp.numbers(step.kernel, step.params) if n in self.objects}
        for touch in step.touches:
            if touch.element.dtype == np.uint64 and not touch.element.inner:
                view = touch.view()
                if view.size <= LARGEST_IDS:
                    numbers.update(int(n) for n in view.ravel() if int(n) in self.objects)
        return {n: self.current.get(n) for n in sorted(numbers) if self.at(n) is not None}


def arrays_of(handle: Any) -> list[Any]:
    """Arrays that a handle reads when it is queried."""
    found = [getattr(handle, name, None) for name in ("points", "lowers", "uppers")]
    return [a for a in found if a is not None and getattr(a, "ptr", None)]


class States:
    """Puts handles into the states of recorded steps, and back into those that they had at first."""

    def __init__(self, warp: Warp, handles: Handles) -> None:
        self.warp = warp
        self.handles = handles
        self.live = dict(handles.current)
        self._now = dict(handles.current)
        self.changed = False

    def wanted(self, step: Step) -> dict[int, Step]:
        """States that a launch saw and that are no longer there."""
        return {
            n: build
            for n, build in step.handles.items()
            if build is not None and build is not self.live.get(n) and build.touches and build.held
            and self.handles.at(n) is not None
        }  # fmt: skip

    def put(self, number: int, build: Step | None) -> bool:
        """Give a handle the state that a step made; says whether it had another."""
        if build is None or self._now.get(number) is build or not build.held:
            return False
        kept: list[tuple[int, Content]] = []
        for touch in build.touches:
            if touch.before is not None:
                kept.append((touch.low, read(touch.low, touch.high)))
                write(touch.low, touch.before)
        try:
            self.again(number, build)
        finally:
            for low, content in reversed(kept):
                write(low, content)
        return True

    def again(self, number: int, build: Step) -> None:
        """Do what a step did, with the arrays as they are in memory now."""
        handle = self.handles.at(number)
        if handle is None:
            return
        if build.detail == "build":
            points = self._array(build.touches[0], build.options["dtype"])
            handle.build(points, *build.options["arguments"], **build.options["named"])
        elif build.detail == "rebuild":
            handle.rebuild(*build.options["arguments"], **build.options["named"])
        else:
            handle.refit()
        self._now[number] = build
        self.changed = True

    def _array(self, touch: Touch, dtype: Any) -> Any:
        return self.warp.array(ptr=touch.pointer, shape=touch.shape, strides=touch.strides, dtype=dtype, device="cpu")

    def start(self, window: Window) -> None:
        """Before a forward runs again: the states of the first launches, over memory as it is now."""
        seen: set[int] = set()
        for item in window.timeline:
            if not isinstance(item, Step):
                continue
            if item.kind == "handle":
                seen.add(item.value)
            for number, build in item.handles.items():
                if number in seen:
                    continue
                seen.add(number)
                if build is not None and build is not self._now.get(number):
                    self.put(number, build)
                handle = self.handles.at(number)
                if handle is not None and hasattr(handle, "refit") and self._moves(handle, window):
                    handle.refit()
                    self._now[number] = build

    def _moves(self, handle: Any, window: Window) -> bool:
        return any(locate(window.extents, self.warp.extent(array)[0]) >= 0 for array in arrays_of(handle))

    def back(self) -> None:
        """All handles as the program left them."""
        if not self.changed:
            return
        for number in list(self._now):
            build = self.live.get(number)
            if self._now[number] is not build:
                self.put(number, build)
        self.changed = False
