"""Hooks for what happens to arrays outside launches: copies, fills, host reads, gradients set, library calls."""

from __future__ import annotations

import functools
import weakref
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from warp_lint.confirm.live.steps import Step

if TYPE_CHECKING:
    from warp_lint.confirm.live.recorder import Recorder


UNRECORDED_UTILITIES = ("array_sum", "array_inner", "array_scan", "radix_sort_pairs")


def install(recorder: Recorder) -> None:
    warp, array = recorder.warp, recorder.warp.array
    copy = copy_hook(recorder, warp.context.copy)
    clone = detailed(recorder, warp.context.clone, "clone")
    for owner in (warp.context, warp.module):
        recorder.patch(owner, "copy", copy)
        recorder.patch(owner, "clone", clone)
    recorder.patch(array, "__init__", init_hook(recorder, array.__init__))
    recorder.patch(array, "zero_", fill_hook(recorder, array.zero_, "zero_"))
    recorder.patch(array, "fill_", fill_hook(recorder, array.fill_, "fill_"))
    recorder.patch(array, "assign", detailed(recorder, array.assign, "assign"))
    for name in ("numpy", "list"):
        recorder.patch(array, name, read_hook(recorder, getattr(array, name), name))
    for name in ("grad", "requires_grad"):
        recorder.patch(array, name, property_hook(recorder, getattr(array, name), name))
    for name in UNRECORDED_UTILITIES:
        original = getattr(warp.utils, name, None)
        if original is not None:
            hook = utility_hook(recorder, original, name)
            for owner in (warp.utils, getattr(warp.module, "utils", None)):
                if owner is not None and getattr(owner, name, None) is original:
                    recorder.patch(owner, name, hook)


def copy_hook(recorder: Recorder, original: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(original)
    def copy(dest: Any, src: Any, dest_offset: int = 0, src_offset: int = 0, count: int = 0, stream: Any = None) -> Any:
        if recorder.idle:
            return original(dest, src, dest_offset, src_offset, count, stream)
        step = None
        tape = recorder.warp.active_tape()
        entries = len(tape.launches) if tape is not None else 0
        with recorder.ours():
            step = begin_copy(recorder, dest, src, dest_offset, src_offset, count)
        with recorder.quiet():
            result = original(dest, src, dest_offset, src_offset, count, stream)
        try:
            if step is not None:
                if step.held:
                    for touch in step.touches[:1]:
                        content = recorder.contents.take(touch.low, touch.high)
                        touch.after = content if content is not touch.before else None
                recorder.attach(step, tape, entries)
                recorder.gradient_step(step)
        except Exception as error:
            recorder.trouble(error)
        return result

    return copy


def begin_copy(recorder: Recorder, dest: Any, src: Any, dest_offset: int, src_offset: int, count: int) -> Step | None:
    warp = recorder.warp
    if not (isinstance(dest, warp.array) and isinstance(src, warp.array)):
        return None
    if not (warp.on_cpu(dest) and warp.on_cpu(src)) or not src.size or not dest.size:
        return None
    step, frame = recorder.add("copy", recorder.copy_detail or "copy", skip=4)
    count = int(count) or src.size
    windows: list[tuple[int, int] | None] = [None, None]
    if dest_offset or src_offset or count != src.size or count != dest.size:
        if dest.is_contiguous:
            windows[0] = (int(dest_offset), count)
        if src.is_contiguous:
            windows[1] = (int(src_offset), count)
    hold = recorder.holding and (recorder.pending() or warp.active_tape() is not None or recorder.watching)
    for array, label, window in ((dest, "destination", windows[0]), (src, "source", windows[1])):
        touch = recorder.touch_array(array, label, window)
        touch.name = recorder.names.of(array, frame) if frame is not None else ""
        recorder.know(array)
        if hold:
            touch.before = recorder.contents.take(touch.low, touch.high)
        step.touches.append(touch)
    step.keep = [dest, src]
    step.held = hold
    step.value = windows[0] is None
    step.options["window"] = (dest_offset, src_offset, count)
    return step


def fill_hook(recorder: Recorder, original: Callable[..., Any], name: str) -> Callable[..., Any]:
    @functools.wraps(original)
    def fill(array: Any, *args: Any, **kwargs: Any) -> Any:
        if recorder.idle or array.device is None or not array.device.is_cpu or not array.size:
            return original(array, *args, **kwargs)
        step = None
        try:
            step = begin_write(recorder, array, name, args[0] if args else 0.0)
        except Exception as error:
            recorder.trouble(error)
        with recorder.quiet():
            result = original(array, *args, **kwargs)
        end_write(recorder, step)
        return result

    return fill


def begin_write(recorder: Recorder, array: Any, name: str, value: Any) -> Step:
    step, frame = recorder.add("fill", name, skip=4)
    touch = recorder.touch_array(array, "array")
    touch.name = recorder.names.of(array, frame) if frame is not None else ""
    step.held = recorder.holding and (
        recorder.pending() or recorder.warp.active_tape() is not None or recorder.watching
    )
    if step.held:
        touch.before = recorder.contents.take(touch.low, touch.high)
    step.touches.append(touch)
    step.value = float(value) if isinstance(value, bool | int | float) else None
    step.options["filled"] = value
    step.keep = [array]
    return step


def end_write(recorder: Recorder, step: Step | None) -> None:
    if step is None:
        return
    try:
        if step.held:
            touch = step.touches[0]
            content = recorder.contents.take(touch.low, touch.high)
            touch.after = content if content is not touch.before else None
        recorder.gradient_step(step)
        if "gradient" in step.options and recorder.on_cleared is not None:
            recorder.on_cleared(step)
    except Exception as error:
        recorder.trouble(error)


def detailed(recorder: Recorder, original: Callable[..., Any], detail: str) -> Callable[..., Any]:
    """Copies that happen inside `original` are noted with this detail."""

    @functools.wraps(original)
    def call(*args: Any, **kwargs: Any) -> Any:
        if recorder.idle:
            return original(*args, **kwargs)
        outer, recorder.copy_detail = recorder.copy_detail, detail
        try:
            return original(*args, **kwargs)
        finally:
            recorder.copy_detail = outer

    return call


def init_hook(recorder: Recorder, original: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(original)
    def init(array: Any, data: Any = None, *args: Any, **kwargs: Any) -> None:
        if recorder.idle:
            original(array, data, *args, **kwargs)
            return
        if recorder.warp.is_array(data):
            outer, recorder.copy_detail = recorder.copy_detail, "array"
            try:
                original(array, data, *args, **kwargs)
            finally:
                recorder.copy_detail = outer
        else:
            with recorder.quiet():
                original(array, data, *args, **kwargs)
        try:
            if array.device is not None:
                recorder.know(array)
                how = "array" if data is not None else "pointer" if kwargs.get("ptr") is not None else "new"
                site, path, _, _frame = recorder.sites.here(2)
                if array.ptr:
                    recorder.born[array.ptr] = recorder.counter
                    recorder.allocated[array.ptr] = (path or (site,), how)
        except Exception as error:
            recorder.trouble(error)

    return init


def read_hook(recorder: Recorder, original: Callable[..., Any], name: str) -> Callable[..., Any]:
    @functools.wraps(original)
    def read(array: Any, *args: Any, **kwargs: Any) -> Any:
        if recorder.idle:
            return original(array, *args, **kwargs)
        with recorder.quiet():
            result = original(array, *args, **kwargs)
        step = note_read(recorder, array, name)
        if step is not None and name == "numpy" and "gradient" in step.options and recorder.on_view is not None:
            try:
                recorder.on_view(step, result)
            except Exception as error:
                recorder.trouble(error)
        return result

    return read


def note_read(recorder: Recorder, array: Any, detail: str) -> Step | None:
    """Called by a hook: the program takes an array's values off the device, or shares its memory."""
    try:
        if isinstance(array, recorder.warp.array) and recorder.warp.on_cpu(array) and array.ptr:
            step, frame = recorder.add("read", detail, skip=3)
            touch = recorder.touch_array(array, "array")
            touch.name = recorder.names.of(array, frame) if frame is not None else ""
            step.touches.append(touch)
            recorder.gradient_step(step)
            return step
    except Exception as error:
        recorder.trouble(error)
    return None


def property_hook(recorder: Recorder, original: Any, name: str) -> Any:
    def setter(array: Any, value: Any) -> None:
        if recorder.idle:
            original.fset(array, value)
            return
        with recorder.quiet():
            original.fset(array, value)
        try:
            recorder.know(array)
            if array.device is not None and array.ptr:
                step, frame = recorder.add("gradient-write" if name == "grad" else "requires-grad", "replace", skip=2)
                touch = recorder.touch_array(array, "array")
                touch.name = recorder.names.of(array, frame) if frame is not None else ""
                step.touches.append(touch)
                step.value = bool(value) if name == "requires_grad" else None
                if name == "grad":
                    step.options["primal"] = weakref.ref(array)
                    if recorder.on_seed is not None and isinstance(value, recorder.warp.array) and value.ptr:
                        recorder.on_seed(step, value, recorder.names.of(value, frame) if frame is not None else "")
        except Exception as error:
            recorder.trouble(error)

    return property(original.fget, setter, original.fdel, original.__doc__)


def utility_hook(recorder: Recorder, original: Callable[..., Any], name: str) -> Callable[..., Any]:
    @functools.wraps(original)
    def call(*args: Any, **kwargs: Any) -> Any:
        if recorder.idle:
            return original(*args, **kwargs)
        step, result = None, None
        try:
            step, frame = recorder.add("call", name, skip=2)
            step.held = recorder.holding
            for value in (*args, *kwargs.values()):
                if isinstance(value, recorder.warp.array) and recorder.warp.on_cpu(value) and value.ptr:
                    touch = recorder.touch_array(value, "argument")
                    touch.name = recorder.names.of(value, frame) if frame is not None else ""
                    if step.held:
                        touch.before = recorder.contents.take(touch.low, touch.high)
                    step.touches.append(touch)
            step.keep = [*args, *kwargs.values()]
        except Exception as error:
            recorder.trouble(error)
        with recorder.quiet():
            result = original(*args, **kwargs)
        if step is not None and step.held:
            for touch in step.touches:
                content = recorder.contents.take(touch.low, touch.high)
                touch.after = content if content is not touch.before else None
        return result

    return call
