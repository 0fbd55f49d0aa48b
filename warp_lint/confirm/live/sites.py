"""Where in the user's code something happens, and what the user calls an array there."""

from __future__ import annotations

import contextlib
import os
import site
import sys
import sysconfig
import weakref
from types import ModuleType
from typing import Any

from warp_lint.confirm.live.steps import NOWHERE, Site

DEPTH = 64
PATH_LENGTH = 12
TRIES = 3  # searches for a name that found none


class Sites:
    """Finds call sites. Frames of Warp and of this package never count as the user's."""

    def __init__(self, warp_file: str) -> None:
        self._inside = (
            os.path.dirname(os.path.abspath(warp_file)) + os.sep,
            os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))) + os.sep,
        )
        paths = sysconfig.get_paths()
        roots = {paths[name] for name in ("stdlib", "platstdlib", "purelib", "platlib") if name in paths}
        roots.update(getattr(site, "getsitepackages", list)())
        self._libraries = tuple(os.path.realpath(root) + os.sep for root in roots)
        self._kinds: dict[str, int] = {}
        script = os.path.abspath(sys.argv[0]) if sys.argv and sys.argv[0] else ""
        # A program that lives among libraries is the user's all the same.
        self._program = os.path.dirname(script) + os.sep if os.path.isfile(script) else ""

    def kind(self, filename: str) -> int:
        """0: Warp or the recorder, 1: a library, 2: the user's."""
        found = self._kinds.get(filename)
        if found is None:
            full = os.path.realpath(filename)
            inside = os.path.abspath(filename).startswith(self._inside) or full.startswith(self._inside)
            if inside and not (self._program and os.path.abspath(filename).startswith(self._program)):
                found = 0
            elif self._program and os.path.abspath(filename).startswith(self._program):
                found = 2
            elif full.startswith(self._libraries) or filename.startswith("<frozen"):
                found = 1
            else:
                found = 2
            self._kinds[filename] = found
        return found

    def here(self, skip: int = 1) -> tuple[Site, tuple[Site, ...], Site | None, Any]:
        """(statement to report, call path from the entry point to it, place in a library, frame of the statement)."""
        frame: Any = sys._getframe(skip)
        library: Site | None = None
        innermost: Any = None
        path: list[Site] = []
        depth = 0
        while frame is not None and depth < DEPTH:
            kind = self.kind(frame.f_code.co_filename)
            if kind == 2:
                if innermost is None:
                    innermost = frame
                path.append(Site(frame.f_code.co_filename, frame.f_lineno))
                if len(path) >= PATH_LENGTH:
                    break
            elif kind == 1 and innermost is None and library is None and not frame.f_code.co_filename.startswith("<"):
                library = Site(frame.f_code.co_filename, frame.f_lineno)
            frame = frame.f_back
            depth += 1
        if not path:
            return (library or NOWHERE, (), library, None)
        return (path[0], tuple(reversed(path)), library, innermost)


class Names:
    """What the user calls an array: the shortest way to it from a frame's variables."""

    def __init__(self) -> None:
        self._known: dict[int, tuple[Any, str]] = {}
        self._tried: dict[int, int] = {}

    def of(self, value: Any, frame: Any) -> str:
        found = self._known.get(id(value))
        if found is not None and found[0]() is value:
            return found[1]
        tried = self._tried.get(id(value), 0)
        if tried >= TRIES:
            return ""
        name = self._search(value, frame)
        if not name:
            self._tried[id(value)] = tried + 1
        if name:
            try:
                self._known[id(value)] = (weakref.ref(value), name)
            except TypeError:
                return name
        return name

    def known(self, value: Any) -> str:
        """The name found before, if any."""
        found = self._known.get(id(value))
        return found[1] if found is not None and found[0]() is value else ""

    def given(self, value: Any, name: str) -> None:
        with contextlib.suppress(TypeError):
            self._known[id(value)] = (weakref.ref(value), name)

    def _search(self, value: Any, frame: Any) -> str:
        depth = 0
        top = frame
        while frame is not None and depth < 4:
            spaces = [frame.f_locals]
            if frame.f_globals is not frame.f_locals:
                spaces.append(frame.f_globals)
            for space in spaces:
                for name, candidate in list(space.items()):
                    if candidate is value and not name.startswith("__"):
                        return str(name)
            for name, candidate in list(frame.f_locals.items()):
                found = self._inside(value, candidate, str(name), 2)
                if found:
                    return found
            frame = frame.f_back
            depth += 1
        return self._same_memory(value, top)

    def _same_memory(self, value: Any, frame: Any) -> str:
        """A variable that holds another array object over the same memory."""
        pointer, size = getattr(value, "ptr", None), getattr(value, "size", None)
        if frame is None or not pointer:
            return ""
        for name, candidate in list(frame.f_locals.items()):
            if type(candidate) is type(value) and candidate.ptr == pointer and candidate.size == size:
                return str(name)
        return ""

    def _inside(self, value: Any, holder: Any, name: str, depth: int) -> str:
        if depth == 0:
            return ""
        items: list[tuple[str, Any]]
        if isinstance(holder, dict):
            items = [(f"{name}[{key!r}]", item) for key, item in list(holder.items())[:200]]
        elif isinstance(holder, list | tuple):
            items = [(f"{name}[{index}]", item) for index, item in enumerate(holder[:600])]
        elif hasattr(holder, "__dict__") and not isinstance(holder, type | ModuleType) and not callable(holder):
            if type(holder).__module__.startswith("warp.") and type(holder).__name__ == "array":
                return f"{name}.grad" if getattr(holder, "_grad", None) is value else ""
            items = [(f"{name}.{key}", item) for key, item in list(vars(holder).items())[:200]]
        else:
            return ""
        for label, item in items:
            if item is value:
                return label
        for label, item in items:
            found = self._inside(value, item, label, depth - 1)
            if found:
                return found
        return ""
