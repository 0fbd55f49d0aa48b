"""Hooks for tapes: entered, left, differentiated, cleared; functions recorded on them; captured graphs."""

from __future__ import annotations

import functools
import weakref
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from warp_lint.confirm.live.recorder import Recorder


def install(recorder: Recorder) -> None:
    tape, context = recorder.warp.tape.Tape, recorder.warp.context
    recorder.patch(tape, "__enter__", enter_hook(recorder, tape.__enter__))
    recorder.patch(tape, "__exit__", exit_hook(recorder, tape.__exit__))
    recorder.patch(tape, "backward", backward_hook(recorder, tape.backward))
    for name in ("zero", "reset"):
        recorder.patch(tape, name, tape_hook(recorder, getattr(tape, name), name))
    recorder.patch(tape, "record_func", function_hook(recorder, tape.record_func))
    for name in ("capture_begin", "capture_end", "capture_launch"):
        original = getattr(context, name, None)
        if original is not None:
            hook = graph_hook(recorder, original, name)
            for owner in (context, recorder.warp.module):
                recorder.patch(owner, name, hook)


def function_hook(recorder: Recorder, original: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(original)
    def record_func(tape: Any, backward: Any, arrays: Any) -> Any:
        result = original(tape, backward, arrays)
        # Copies record themselves; anything else is a hand-written adjoint.
        if recorder.idle:
            return result
        try:
            step, frame = recorder.add("function", getattr(backward, "__qualname__", "function"), skip=2)
            step.held = recorder.holding
            step.keep = list(arrays)
            for array in arrays:
                touch = recorder.touch_array(array, "array")
                touch.name = recorder.names.of(array, frame) if frame is not None else ""
                recorder.know(array)
                if step.held:
                    touch.before = recorder.contents.take(touch.low, touch.high)
                step.touches.append(touch)
            recorder.attach(step, tape, len(tape.launches) - 1)
        except Exception as error:
            recorder.trouble(error)
        return result

    return record_func


def enter_hook(recorder: Recorder, original: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(original)
    def enter(tape: Any) -> Any:
        result = original(tape)
        recorder.adopt_thread()
        if recorder.off:
            return result
        try:
            record = recorder.record_of(tape, 2)
            step, frame = recorder.add("tape", "enter", skip=2)
            step.value = record.id
            record.enters += 1
            record.awaiting = True
            record.entered_at = step.index
            record.exited_at = None
            seen = recorder.entered_per_site.get(step.site, 0)
            recorder.entered_per_site[step.site] = seen + 1
            record.checked = seen < recorder.entries
            if record.checked and frame is not None:
                recorder.name_frame(frame)
                record.name = recorder.names.of(tape, frame) or "tape"
            if not tape.launches:
                record.steps.clear()
                record.differentiated = 0
            recorder.asleep = not record.checked and not recorder.pending()
            recorder.watching = any(n <= recorder.entries for n in recorder.entered_per_site.values())
            if recorder.on_enter is not None and record.checked and not recorder.capturing:
                recorder.on_enter(record)
        except Exception as error:
            recorder.trouble(error)
        return result

    return enter


def exit_hook(recorder: Recorder, original: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(original)
    def leave(tape: Any, *args: Any) -> Any:
        result = original(tape, *args)
        if not recorder.idle:
            try:
                step, _ = recorder.add("tape", "exit", skip=2)
                record = recorder.record_of(tape, 2)
                step.value = record.id
                record.exited_at = step.index
            except Exception as error:
                recorder.trouble(error)
        return result

    return leave


def tape_hook(recorder: Recorder, original: Callable[..., Any], action: str) -> Callable[..., Any]:
    @functools.wraps(original)
    def act(tape: Any) -> Any:
        if recorder.idle:
            return original(tape)
        with recorder.quiet():
            result = original(tape)
        try:
            step, _ = recorder.add("tape", action, skip=2)
            record = recorder.record_of(tape, 2)
            step.value = record.id
            step.keep = [weakref.ref(a) for a in tape.gradients if isinstance(a, recorder.warp.array)]
            if recorder.on_cleared is not None:
                recorder.on_cleared(step)
            if action == "reset":
                record.steps.clear()
                record.differentiated = 0
        except Exception as error:
            recorder.trouble(error)
        return result

    return act


def backward_hook(recorder: Recorder, original: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(original)
    def backward(tape: Any, loss: Any = None, grads: Any = None) -> Any:
        if recorder.probing is not None and not recorder.inside_backward and recorder.probing.record.tape is tape:
            recorder.probing.tell(recorder, loss, grads)
        if recorder.off:
            return original(tape, loss, grads)
        record = None
        try:
            record = recorder.record_of(tape, 2)
            step, frame = recorder.add("backward", "", skip=2)
            step.value = record.id
            step.keep = [loss, grads]
            for array in [loss] if loss is not None else list(grads or ()):
                if isinstance(array, recorder.warp.array) and array.ptr:
                    touch = recorder.touch_array(array, "seed")
                    touch.name = recorder.names.of(array, frame) if frame is not None else ""
                    step.touches.append(touch)
            if recorder.capturing:
                recorder.graphs.backward(record, loss, grads, step.site)
            elif recorder.before_backward is not None:
                recorder.inside_backward += 1
                try:
                    recorder.before_backward(record, loss, grads)
                finally:
                    recorder.inside_backward -= 1
        except Exception as error:
            recorder.trouble(error)
        recorder.inside_backward += 1
        try:
            result = original(tape, loss, grads)
        finally:
            recorder.inside_backward -= 1
        if record is not None:
            try:
                record.differentiated = len(tape.launches)
                record.backwards += 1
                record.awaiting = False
                recorder.asleep = recorder.asleep and not recorder.watching
                if recorder.after_backward is not None and not recorder.capturing:
                    recorder.after_backward(record)
            except Exception as error:
                recorder.trouble(error)
        return result

    return backward


def graph_hook(recorder: Recorder, original: Callable[..., Any], name: str) -> Callable[..., Any]:
    @functools.wraps(original)
    def call(*args: Any, **kwargs: Any) -> Any:
        if recorder.off:
            return original(*args, **kwargs)
        try:
            if name == "capture_launch":
                graph = kwargs.get("graph", args[0] if args else None)
                recorder.graphs.launched(graph)
        except Exception as error:
            recorder.trouble(error)
        with recorder.quiet():
            result = original(*args, **kwargs)
        try:
            if name == "capture_begin":
                device = kwargs.get("device", args[0] if args else None)
                if recorder.warp.module.get_device(device).is_cpu:
                    recorder.graphs.begin()
            elif name == "capture_end":
                recorder.graphs.end(result)
        except Exception as error:
            recorder.trouble(error)
        return result

    return call
