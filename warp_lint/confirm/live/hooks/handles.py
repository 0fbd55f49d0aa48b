"""Hooks for grids and trees: made, built, refitted, given other points."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from warp_lint.confirm.live.handles import ACTIONS, arrays_of

if TYPE_CHECKING:
    from warp_lint.confirm.live.recorder import Recorder


def install(recorder: Recorder) -> None:
    for kind, actions in ACTIONS.items():
        owner = getattr(recorder.warp.module, kind, None)
        if owner is None:
            continue
        recorder.patch(owner, "__init__", _made(recorder, owner.__init__))
        for action in actions:
            if action in owner.__dict__:
                recorder.patch(owner, action, _built(recorder, owner.__dict__[action], action))
        points = owner.__dict__.get("points")
        if isinstance(points, property) and points.fset is not None:
            setter = _built(recorder, points.fset, "refit")
            recorder.patch(owner, "points", property(points.fget, setter, points.fdel, points.__doc__))


def _made(recorder: Recorder, original: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(original)
    def made(handle: Any, *args: Any, **kwargs: Any) -> None:
        if recorder.off:
            original(handle, *args, **kwargs)
            return
        with recorder.quiet():
            original(handle, *args, **kwargs)
        try:
            if handle.device.is_cpu:
                recorder.handles.know(handle)
                if arrays_of(handle) and not recorder.asleep:
                    _note(recorder, handle, "create", arrays_of(handle), (), {})
        except Exception as error:
            recorder.trouble(error)

    return made


def _built(recorder: Recorder, original: Callable[..., Any], action: str) -> Callable[..., Any]:
    @functools.wraps(original)
    def built(handle: Any, *args: Any, **kwargs: Any) -> Any:
        if recorder.off:
            return original(handle, *args, **kwargs)
        with recorder.quiet():
            result = original(handle, *args, **kwargs)
        try:
            number = int(handle.id or 0)
            if number in recorder.handles.objects:
                recorder.handles.current[number] = None
                if not recorder.asleep:
                    arguments = dict(kwargs)
                    points = arguments.pop("points", None) if action == "build" else None
                    if action == "build" and points is None:
                        points, args = args[0], args[1:]
                    arrays = [points] if action == "build" else arrays_of(handle)
                    _note(recorder, handle, action, arrays, () if action == "refit" else args, arguments)
        except Exception as error:
            recorder.trouble(error)
        return result

    return built


def _note(recorder: Recorder, handle: Any, action: str, arrays: list[Any], args: Any, named: dict[str, Any]) -> None:
    step, frame = recorder.add("handle", action, skip=3)
    step.value = int(handle.id)
    step.held = recorder.holding and (
        recorder.pending() or recorder.warp.active_tape() is not None or recorder.watching
    )
    for array in arrays:
        touch = recorder.touch_array(array, "points")
        touch.name = recorder.names.of(array, frame) if frame is not None else ""
        if step.held:
            touch.before = recorder.contents.take(touch.low, touch.high)
        step.touches.append(touch)
    step.options = {"arguments": tuple(args), "named": named, "dtype": getattr(arrays[0], "dtype", None)}
    step.options["name"] = recorder.names.of(handle, frame) if frame is not None else ""
    step.options["type"] = type(handle).__name__
    step.keep = list(arrays)
    recorder.handles.current[step.value] = step
