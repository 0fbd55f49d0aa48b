"""Hooks for launches: `wp.launch` under both of its names, and recorded commands."""

from __future__ import annotations

import functools
from collections.abc import Callable
from time import process_time
from typing import TYPE_CHECKING, Any

from warp_lint.confirm.live.fields import touches
from warp_lint.confirm.live.internals import descriptor_span
from warp_lint.confirm.live.steps import Step

if TYPE_CHECKING:
    from warp_lint.confirm.live.recorder import Recorder


NO_MESH_GRADIENT = "queries of a mesh give its points no gradient, in any version of Warp"
LOADING = 0.05  # seconds of processor time that packing a launch doesn't take
RING_BYTES = 1 << 20  # largest launch before a tape that keeps its contents


def install(recorder: Recorder) -> None:
    context, module = recorder.warp.context, recorder.warp.module
    launch = launch_hook(recorder, context.launch)
    for owner in (context, module):
        recorder.patch(owner, "launch", launch)
    recorder.patch(context.Launch, "launch", command_hook(recorder, context.Launch.launch))


def launch_hook(recorder: Recorder, original: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(original)
    def launch(
        kernel: Any,
        dim: Any,
        inputs: Any = (),
        outputs: Any = (),
        adj_inputs: Any = (),
        adj_outputs: Any = (),
        device: Any = None,
        stream: Any = None,
        adjoint: bool = False,
        record_tape: bool = True,
        record_cmd: bool = False,
        **rest: Any,
    ) -> Any:
        def run() -> Any:
            return original(
                kernel, dim, inputs, outputs, adj_inputs, adj_outputs, device, stream, adjoint, record_tape,
                record_cmd, **rest,
            )  # fmt: skip

        if recorder.idle:
            return run()
        if record_cmd:
            command = run()
            try:
                command._warp_lint = (list(inputs), list(outputs))
            except Exception as error:
                recorder.trouble(error)
            return command
        if recorder.warp.active_tape() is None and not concerned(recorder, inputs, outputs):
            return run()
        step = None
        with recorder.ours():
            step = begin_launch(recorder, kernel, dim, inputs, outputs, device, stream, adjoint, rest)
            if step is not None and not record_tape and recorder.warp.active_tape() is not None:
                step.detail = "record_tape"
        tape = recorder.warp.active_tape()
        count = len(tape.launches) if tape is not None else 0
        result = run()
        if step is not None:
            with recorder.ours():
                end_launch(recorder, step, tape, count)
        return result

    return launch


def concerned(recorder: Recorder, inputs: Any, outputs: Any) -> bool:
    """Whether a launch outside tapes can matter: gradients are involved, or a tape awaits its backward."""
    if recorder.pending():
        return True
    try:
        for value in (*inputs, *outputs):
            if recorder.warp.is_array(value):
                if getattr(value, "_grad", None) is not None or value.ptr in recorder.gradients:
                    return True
            elif recorder.warp.is_struct(value):
                return True
    except (TypeError, AttributeError):
        return True
    return False


def begin_launch(
    recorder: Recorder,
    kernel: Any,
    dim: Any,
    inputs: Any,
    outputs: Any,
    device: Any,
    stream: Any,
    adjoint: bool,
    rest: Any,
) -> Step | None:
    if stream is not None:
        device = stream.device
    device = recorder.warp.context.runtime.get_device(device) if recorder.warp.context.runtime else None
    if device is None:
        recorder.warp.module.init()
        device = recorder.warp.context.runtime.get_device(None)
    if not device.is_cpu:
        recorder.gpu += 1
        return None
    step, frame = recorder.add("launch", "adjoint" if adjoint else "", skip=4)
    started = process_time()
    with recorder.quiet():
        command = recorder.warp.command(kernel, dim, inputs, outputs, device=device, **rest)
    took = process_time() - started
    if took > LOADING:  # the program's launch would have compiled the module
        recorder.contents.seconds -= took
    if command is None:
        recorder.steps.pop()
        return None
    step.command = command
    step.kernel = command.kernel if hasattr(command, "kernel") else kernel
    if getattr(step.kernel, "is_generic", False):
        step.kernel = kernel.infer_argument_types and kernel
    step.params = [recorder.warp.copied(p) for p in command.params[: len(step.kernel.adj.args) + 1]]
    step.inputs, step.outputs = list(inputs), list(outputs)
    step.options = dict(rest, device=device)
    step.value = dim
    fill_touches(recorder, step, frame)
    step.keep = [
        a
        for value in (*step.inputs, *step.outputs)
        if recorder.warp.is_struct(value)
        for a in recorder.warp.struct_arrays(value)
    ]
    return step


def fill_touches(recorder: Recorder, step: Step, frame: Any) -> None:
    values = [*step.inputs, *step.outputs]
    wanted = recorder.pending() or recorder.warp.active_tape() is not None
    hold = recorder.holding and (wanted or small(recorder, step))
    for argument in recorder.warp.arguments(step.kernel, step.params):
        if not touches(step.kernel, argument.path):
            continue
        touch = recorder.touch(argument)
        if touch.high <= touch.low:
            continue
        value = values[argument.position] if argument.position < len(values) else None
        array = value
        label = ""
        if recorder.warp.is_struct(value):
            label = recorder.names.of(value, frame) if frame is not None else ""
            for member in argument.path[1:]:
                array = getattr(array, member, None)
            label = ".".join((label or argument.path[0], *argument.path[1:]))
            known = recorder.names.of(array, frame) if array is not None and frame is not None else ""
            label = known if known.isidentifier() else label
        elif value is not None and frame is not None:
            label = recorder.names.of(value, frame)
        touch.name = label
        if array is not None:
            recorder.know(array)
        if hold:
            touch.before = recorder.contents.take(touch.low, touch.high)
        step.touches.append(touch)
    step.held = hold
    if wanted or hold:
        step.handles = recorder.handles.used(recorder.warp, step)
        mesh_points(recorder, step)
    if hold and not wanted:
        recorder.keep_in_ring(step)
    for position, declared in enumerate(step.kernel.adj.args):
        value = values[position] if position < len(values) else None
        if isinstance(value, bool | int | float):
            step.scalars[(declared.label,)] = value
        elif recorder.warp.is_struct(value):
            step.structs[(declared.label,)] = id(value)


def mesh_points(recorder: Recorder, step: Step) -> None:
    """A launch that queries a mesh reads its points; Warp has no gradient for them."""
    for number in step.handles:
        handle = recorder.handles.at(number)
        points = getattr(handle, "points", None)
        if points is None or not points.ptr:
            continue
        touch = recorder.touch_array(points, f"#{number}")
        touch.name = recorder.names.known(points) or "points"
        if touch.delta is not None:
            recorder.note(NO_MESH_GRADIENT)
        touch.position, touch.delta = -1, None
        recorder.know(points)
        if step.held:
            touch.before = recorder.contents.take(touch.low, touch.high)
        step.touches.append(touch)


def small(recorder: Recorder, step: Step) -> bool:
    if not recorder.watching:
        return False
    total = 0
    for argument in recorder.warp.arguments(step.kernel, step.params):
        low, high = descriptor_span(argument.descriptor, argument.element.size)
        total += high - low
    return total <= RING_BYTES


def end_launch(recorder: Recorder, step: Step, tape: Any, count: int) -> None:
    if step.held:
        for touch in step.touches:
            content = recorder.contents.take(touch.low, touch.high)
            if content is not touch.before:
                touch.after = content
    recorder.attach(step, tape, count)
    if any(recorder.primal(touch.pointer) is not None for touch in step.touches):
        recorder.gradient_use(step)


def command_hook(recorder: Recorder, original: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(original)
    def launch(command: Any, *args: Any, **kwargs: Any) -> Any:
        if recorder.idle or command.adjoint or not command.device.is_cpu:
            return original(command, *args, **kwargs)
        step = None
        with recorder.ours():
            step, frame = recorder.add("launch", "command", skip=3)
            step.kernel, step.command = command.kernel, command
            step.params = [recorder.warp.copied(p) for p in command.params[: len(command.kernel.adj.args) + 1]]
            step.inputs, step.outputs = getattr(command, "_warp_lint", ([], []))
            fill_touches(recorder, step, frame)
        result = original(command, *args, **kwargs)
        if step is not None:
            with recorder.ours():
                end_launch(recorder, step, None, 0)
        return result

    return launch
