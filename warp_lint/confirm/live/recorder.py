"""The recorder: hooks under Warp's public surface that note what happens to arrays.

It changes nothing that the program can see on the CPU: every hook calls what it stands for once, with
the same arguments, and lets its exceptions through. What the recorder itself gets wrong is kept in
`troubles` and never raised.
"""

from __future__ import annotations

import functools
import os
import threading
import weakref
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from warp_lint.confirm.live.internals import Argument, Warp, descriptor_span
from warp_lint.confirm.live.memory import Contents
from warp_lint.confirm.live.sites import Names, Sites
from warp_lint.confirm.live.steps import Site, Step, TapeRecord, Touch

MAX_STEPS = 60_000
MAX_TAPES = 200
RING_STEPS = 1_000  # launches before a tape that keep their contents
RING_BYTES = 1 << 20  # largest launch among them
RING_TOTAL = 64 << 20
UNRECORDED_UTILITIES = ("array_sum", "array_inner", "array_scan", "radix_sort_pairs")


class Recorder:
    """Notes steps while hooks are installed. `before_backward(tape, arguments)` runs ahead of each
    `Tape.backward` that is to be checked; `budget` bounds the contents held, in bytes."""

    def __init__(self, warp: Warp, entries: int = 9, budget: int = 1 << 30) -> None:
        self.warp = warp
        self.entries = entries
        self.budget = budget
        self.sites = Sites(warp.module.__file__)
        self.names = Names()
        self.steps: list[Step] = []
        self.tapes: dict[int, TapeRecord] = {}
        self.tape_list: list[TapeRecord] = []
        self.contents = Contents()
        self.troubles: list[str] = []
        self.notes: list[str] = []
        self.gradients: dict[int, Any] = {}  # address of gradient memory -> weak reference to its array
        self.born: dict[int, int] = {}  # address -> number of the step before which an array was made there
        self.allocated: dict[int, tuple[Site, str]] = {}  # address -> where and how an array was made there last
        self.entered_per_site: dict[Site, int] = {}
        self.before_backward: Callable[[TapeRecord, Any, Any], None] | None = None
        self.after_backward: Callable[[TapeRecord], None] | None = None
        self.on_enter: Callable[[TapeRecord], None] | None = None
        self.on_gradient_read: Callable[[Step], None] | None = None
        self.graphs = 0
        self.gpu = 0
        self.counter = 0
        self.dropped = 0
        self.asleep = False  # nothing that happens now will be checked
        self._tapes_seen = 0
        self._ring: deque[tuple[Step, int]] = deque()
        self._ring_bytes = 0
        self._busy = 0
        self._backward = 0
        self._copy_detail = ""
        self._undo: list[tuple[Any, str, Any]] = []
        self._thread = threading.get_ident()
        self._pid = os.getpid()
        self._other_threads = False

    # Installation

    def install(self) -> None:
        warp = self.warp
        context, array, tape = warp.context, warp.array, warp.tape.Tape
        self._original_launch = context.launch
        self._original_copy = context.copy
        launch = self._launch_hook(context.launch)
        copy = self._copy_hook(context.copy)
        for owner in (context, warp.module):
            self._patch(owner, "launch", launch)
            self._patch(owner, "copy", copy)
        self._patch(context.Launch, "launch", self._command_hook(context.Launch.launch))
        self._patch(array, "__init__", self._init_hook(array.__init__))
        self._patch(array, "zero_", self._fill_hook(array.zero_, "zero_"))
        self._patch(array, "fill_", self._fill_hook(array.fill_, "fill_"))
        self._patch(array, "assign", self._assign_hook(array.assign))
        self._patch(array, "numpy", self._read_hook(array.numpy, "numpy"))
        self._patch(array, "list", self._read_hook(array.list, "list"))
        for name in ("grad", "requires_grad"):
            self._patch(array, name, self._property_hook(getattr(array, name), name))
        self._patch(tape, "__enter__", self._enter_hook(tape.__enter__))
        self._patch(tape, "__exit__", self._exit_hook(tape.__exit__))
        self._patch(tape, "backward", self._backward_hook(tape.backward))
        self._patch(tape, "zero", self._tape_hook(tape.zero, "zero"))
        self._patch(tape, "reset", self._tape_hook(tape.reset, "reset"))
        self._patch(tape, "record_func", self._function_hook(tape.record_func))
        for name in UNRECORDED_UTILITIES:
            original = getattr(warp.utils, name, None)
            if original is not None:
                hook = self._utility_hook(original, name)
                public = getattr(warp.module, "utils", None)
                for owner in (warp.utils, public):
                    if owner is not None and getattr(owner, name, None) is original:
                        self._patch(owner, name, hook)
        for name in ("capture_begin", "capture_launch"):
            original = getattr(context, name, None)
            if original is not None:
                hook = self._graph_hook(original)
                for owner in (context, warp.module):
                    self._patch(owner, name, hook)
        self._utility_owners()

    def _utility_owners(self) -> None:
        clone = self.warp.context.clone
        hook = self._clone_hook(clone)
        for owner in (self.warp.context, self.warp.module):
            self._patch(owner, "clone", hook)

    def _patch(self, owner: Any, name: str, value: Any) -> None:
        self._undo.append((owner, name, getattr(owner, name) if not isinstance(owner, type) else owner.__dict__[name]))
        setattr(owner, name, value)

    def uninstall(self) -> None:
        for owner, name, value in reversed(self._undo):
            setattr(owner, name, value)
        self._undo.clear()

    # Guards

    @contextmanager
    def quiet(self) -> Iterator[None]:
        """What happens inside is not noted."""
        self._busy += 1
        try:
            yield
        finally:
            self._busy -= 1

    @property
    def idle(self) -> bool:
        """Whether hooks other than the tape's own should do nothing."""
        return self.asleep or self.off

    @property
    def off(self) -> bool:
        """Whether no hook should do anything: inside Warp, in another process or thread."""
        if (
            self._busy
            or self._backward
            or self.probing is not None
            or (os.getpid() != self._pid and not self.follows_fork)
        ):
            return True
        if threading.get_ident() != self._thread:
            if not self._other_threads:
                self._other_threads = True
                self.notes.append("the program uses Warp from more than one thread: only its main thread was recorded")
            return True
        return False

    follows_fork = False
    probing: Any = None  # set in a copy of the process that only runs on to a backward

    def trouble(self, error: BaseException) -> None:
        if len(self.troubles) < 20:
            import traceback

            last = traceback.extract_tb(error.__traceback__)[-1:] or None
            where = f" ({os.path.basename(last[0].filename)}:{last[0].lineno})" if last else ""
            self.troubles.append(f"{type(error).__name__}: {error}{where}")

    # Steps

    def add(self, kind: str, detail: str = "", skip: int = 3) -> tuple[Step, Any]:
        site, path, library, frame = self.sites.here(skip)
        step = Step(self.counter, kind, site, path, library, detail)
        self.counter += 1
        tape = self.warp.active_tape()
        if tape is not None:
            record = self.tapes.get(id(tape))
            step.tape = record.id if record is not None else None
        self.steps.append(step)
        if len(self.steps) > MAX_STEPS:
            self._forget(MAX_STEPS // 4)
        return step, frame

    def _keep_in_ring(self, step: Step) -> None:
        """Bound what is held of launches outside tapes: the oldest give up their contents."""
        size = sum(t.high - t.low for t in step.touches)
        self._ring.append((step, size))
        self._ring_bytes += size
        while len(self._ring) > RING_STEPS or self._ring_bytes > RING_TOTAL:
            old, freed = self._ring.popleft()
            self._ring_bytes -= freed
            if not old.recorded:
                old.release()

    def _forget(self, count: int) -> None:
        """Drop the oldest steps that no open tape holds."""
        held = {id(step) for record in self.tapes.values() for step in record.steps.values()}
        kept = [step for index, step in enumerate(self.steps) if index >= count or id(step) in held]
        self.dropped += len(self.steps) - len(kept)
        self.steps = kept

    @property
    def holding(self) -> bool:
        """Whether contents are to be held now: a checked tape is open or waits for its backward."""
        return self.contents.size < self.budget

    def release_before(self, index: int) -> None:
        """Give up what is held of earlier steps, unless a tape that awaits its backward needs them."""
        for key, record in list(self.tapes.items()):
            if record.tape is None:
                del self.tapes[key]
        held = {id(s) for r in self.tapes.values() if r.awaiting for s in r.steps.values()}
        held.update(id(s) for r in self.tapes.values() for s in r.steps.values() if s.index >= index)
        for step in self.steps:
            if step.index >= index:
                break
            if (step.held or step.keep or step.entry is not None) and id(step) not in held:
                step.release()
        self._ring.clear()
        self._ring_bytes = 0
        self.contents.forget()
        kept = {
            id(c): c.size for s in self.steps if s.held for t in s.touches for c in (t.before, t.after) if c is not None
        }
        self.contents.size = sum(kept.values())

    def pending(self) -> bool:
        return any(r.checked and r.awaiting and r.tape is not None for r in self.tapes.values())

    def touch(self, argument: Argument) -> Touch:
        d = argument.descriptor
        low, high = descriptor_span(d, argument.element.size)
        n = d.ndim
        return Touch(
            argument.path,
            low,
            high,
            int(d.data),
            tuple(d.shape[:n]),
            tuple(d.strides[:n]),
            argument.element,
            int(d.grad) - int(d.data) if d.grad else None,
            bool(d.flags & 1),
            position=argument.position,
            indexed=argument.indexed,
        )

    def touch_array(self, array: Any, label: str, window: tuple[int, int] | None = None) -> Touch:
        """An array object, or elements `[start, start + count)` of a contiguous one."""
        element = self.warp.element(array.dtype)
        pointer, shape, strides = array.ptr or 0, tuple(array.shape), tuple(array.strides)
        if window is not None:
            start, count = window
            pointer, shape, strides = pointer + start * element.size, (count,), (element.size,)
        from warp_lint.confirm.live.internals import span

        low, high = span(pointer, shape, strides, element.size)
        grad = array.grad if hasattr(array, "grad") else None
        delta = grad.ptr - array.ptr if grad is not None and grad.ptr and array.ptr else None
        return Touch(
            (label,), low, high, pointer, shape, strides, element, delta, bool(getattr(array, "retain_grad", False))
        )

    def _know(self, array: Any) -> None:
        grad = getattr(array, "_grad", None)
        if grad is not None and grad.ptr:
            self.gradients[grad.ptr] = weakref.ref(array)
            if len(self.gradients) > 20_000:
                self.gradients = {k: v for k, v in self.gradients.items() if v() is not None}

    def primal(self, pointer: int | None) -> Any:
        """The array whose gradient memory starts at this address, if it lives."""
        reference = self.gradients.get(pointer or 0)
        array = reference() if reference is not None else None
        if array is not None and getattr(array, "_grad", None) is not None and array._grad.ptr == pointer:
            return array
        return None

    def name_frame(self, frame: Any) -> None:
        """Find names for the arrays with gradients that a frame's variables hold."""
        if frame is None:
            return
        for name, value in list(frame.f_locals.items()):
            if isinstance(value, self.warp.array) and not self.names.known(value):
                self.names.given(value, str(name))

    # Hooks

    def _launch_hook(self, original: Callable[..., Any]) -> Callable[..., Any]:
        recorder = self

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
            if recorder.warp.active_tape() is None and not recorder._concerned(inputs, outputs):
                return run()
            step = None
            try:
                step = recorder._begin_launch(kernel, dim, inputs, outputs, device, stream, adjoint, rest)
                if step is not None and not record_tape and recorder.warp.active_tape() is not None:
                    step.detail = "record_tape"
            except Exception as error:
                recorder.trouble(error)
            tape = recorder.warp.active_tape()
            count = len(tape.launches) if tape is not None else 0
            result = run()
            if step is not None:
                try:
                    recorder._end_launch(step, tape, count)
                except Exception as error:
                    recorder.trouble(error)
            return result

        return launch

    def _concerned(self, inputs: Any, outputs: Any) -> bool:
        """Whether a launch outside tapes can matter: gradients are involved, or a tape awaits its backward."""
        if self.pending():
            return True
        try:
            for value in (*inputs, *outputs):
                if self.warp.is_array(value):
                    if getattr(value, "_grad", None) is not None or value.ptr in self.gradients:
                        return True
                elif self.warp.is_struct(value):
                    return True
        except (TypeError, AttributeError):
            return True
        return False

    def _begin_launch(
        self, kernel: Any, dim: Any, inputs: Any, outputs: Any, device: Any, stream: Any, adjoint: bool, rest: Any
    ) -> Step | None:
        if stream is not None:
            device = stream.device
        device = self.warp.context.runtime.get_device(device) if self.warp.context.runtime else None
        if device is None:
            self.warp.module.init()
            device = self.warp.context.runtime.get_device(None)
        if not device.is_cpu:
            self.gpu += 1
            return None
        step, frame = self.add("launch", "adjoint" if adjoint else "", skip=4)
        with self.quiet():
            command = self.warp.command(kernel, dim, inputs, outputs, device=device, **rest)
        if command is None:
            self.steps.pop()
            return None
        step.command = command
        step.kernel = command.kernel if hasattr(command, "kernel") else kernel
        if getattr(step.kernel, "is_generic", False):
            step.kernel = kernel.infer_argument_types and kernel
        step.params = [self.warp.copied(p) for p in command.params[: len(step.kernel.adj.args) + 1]]
        step.inputs, step.outputs = list(inputs), list(outputs)
        step.options = dict(rest, device=device)
        self._fill_touches(step, frame)
        step.keep = [
            a
            for value in (*step.inputs, *step.outputs)
            if self.warp.is_struct(value)
            for a in self.warp.struct_arrays(value)
        ]
        return step

    def _fill_touches(self, step: Step, frame: Any) -> None:
        values = [*step.inputs, *step.outputs]
        wanted = self.pending() or self.warp.active_tape() is not None
        hold = self.holding and (wanted or self._small(step))
        for argument in self.warp.arguments(step.kernel, step.params):
            touch = self.touch(argument)
            if touch.high <= touch.low:
                continue
            value = values[argument.position] if argument.position < len(values) else None
            array = value
            label = ""
            if self.warp.is_struct(value):
                label = self.names.of(value, frame) if frame is not None else ""
                for member in argument.path[1:]:
                    array = getattr(array, member, None)
                label = ".".join((label or argument.path[0], *argument.path[1:]))
                known = self.names.of(array, frame) if array is not None and frame is not None else ""
                label = known if known.isidentifier() else label
            elif value is not None and frame is not None:
                label = self.names.of(value, frame)
            touch.name = label
            if array is not None:
                self._know(array)
            if hold:
                touch.before = self.contents.take(touch.low, touch.high)
            step.touches.append(touch)
        step.held = hold
        if hold and not wanted:
            self._keep_in_ring(step)
        for position, declared in enumerate(step.kernel.adj.args):
            value = values[position] if position < len(values) else None
            if isinstance(value, bool | int | float):
                step.scalars[(declared.label,)] = value
            elif self.warp.is_struct(value):
                step.structs[(declared.label,)] = id(value)

    def _small(self, step: Step) -> bool:
        if not self.watching:
            return False
        total = 0
        for argument in self.warp.arguments(step.kernel, step.params):
            low, high = descriptor_span(argument.descriptor, argument.element.size)
            total += high - low
        return total <= RING_BYTES

    watching = True  # some call site of a tape may still be checked

    def _end_launch(self, step: Step, tape: Any, count: int) -> None:
        if step.held:
            for touch in step.touches:
                content = self.contents.take(touch.low, touch.high)
                if content is not touch.before:
                    touch.after = content
        self._attach(step, tape, count)
        if any(self.primal(touch.pointer) is not None for touch in step.touches):
            self._gradient_use(step)

    def _gradient_use(self, step: Step) -> None:
        if self.on_gradient_read is not None and step.kind in ("launch", "read", "gradient-read", "copy"):
            self.on_gradient_read(step)

    def _attach(self, step: Step, tape: Any, count: int) -> None:
        """Tie a step to the entry that Warp made for it on the tape."""
        if tape is None or len(tape.launches) <= count:
            return
        record = self.tapes.get(id(tape))
        step.entry = tape.launches[-1]
        step.recorded = True
        if record is not None:
            record.steps[id(step.entry)] = step
            if not step.held and record.checked and not record.overflow:
                record.overflow = "the tape needs more memory than the recorder may hold"
        if step.kind == "launch" and isinstance(step.entry, list) and len(step.entry) > 7:
            caller = step.entry[7].get("caller") if isinstance(step.entry[7], dict) else None
            if caller is not None and step.call_path:
                caller["file"], caller["lineno"] = step.site.path, step.site.line

    def _command_hook(self, original: Callable[..., Any]) -> Callable[..., Any]:
        recorder = self

        @functools.wraps(original)
        def launch(command: Any, *args: Any, **kwargs: Any) -> Any:
            if recorder.idle or command.adjoint or not command.device.is_cpu:
                return original(command, *args, **kwargs)
            step = None
            try:
                step, frame = recorder.add("launch", "command", skip=3)
                step.kernel, step.command = command.kernel, command
                step.params = [recorder.warp.copied(p) for p in command.params[: len(command.kernel.adj.args) + 1]]
                step.inputs, step.outputs = getattr(command, "_warp_lint", ([], []))
                recorder._fill_touches(step, frame)
            except Exception as error:
                recorder.trouble(error)
            result = original(command, *args, **kwargs)
            try:
                if step is not None:
                    recorder._end_launch(step, None, 0)
            except Exception as error:
                recorder.trouble(error)
            return result

        return launch

    def _copy_hook(self, original: Callable[..., Any]) -> Callable[..., Any]:
        recorder = self

        @functools.wraps(original)
        def copy(
            dest: Any, src: Any, dest_offset: int = 0, src_offset: int = 0, count: int = 0, stream: Any = None
        ) -> Any:
            if recorder.idle:
                return original(dest, src, dest_offset, src_offset, count, stream)
            step = None
            tape = recorder.warp.active_tape()
            entries = len(tape.launches) if tape is not None else 0
            try:
                step = recorder._begin_copy(dest, src, dest_offset, src_offset, count)
            except Exception as error:
                recorder.trouble(error)
            with recorder.quiet():
                result = original(dest, src, dest_offset, src_offset, count, stream)
            try:
                if step is not None:
                    if step.held:
                        for touch in step.touches[:1]:
                            content = recorder.contents.take(touch.low, touch.high)
                            touch.after = content if content is not touch.before else None
                    recorder._attach(step, tape, entries)
                    recorder._gradient_step(step)
            except Exception as error:
                recorder.trouble(error)
            return result

        return copy

    def _begin_copy(self, dest: Any, src: Any, dest_offset: int, src_offset: int, count: int) -> Step | None:
        warp = self.warp
        if not (isinstance(dest, warp.array) and isinstance(src, warp.array)):
            return None
        if not (warp.on_cpu(dest) and warp.on_cpu(src)) or not src.size or not dest.size:
            return None
        step, frame = self.add("copy", self._copy_detail or "copy", skip=4)
        count = int(count) or src.size
        windows: list[tuple[int, int] | None] = [None, None]
        if dest_offset or src_offset or count != src.size or count != dest.size:
            if dest.is_contiguous:
                windows[0] = (int(dest_offset), count)
            if src.is_contiguous:
                windows[1] = (int(src_offset), count)
        hold = self.holding and (self.pending() or warp.active_tape() is not None or self.watching)
        for array, label, window in ((dest, "destination", windows[0]), (src, "source", windows[1])):
            touch = self.touch_array(array, label, window)
            touch.name = self.names.of(array, frame) if frame is not None else ""
            self._know(array)
            if hold:
                touch.before = self.contents.take(touch.low, touch.high)
            step.touches.append(touch)
        step.keep = [dest, src]
        step.held = hold
        step.value = windows[0] is None
        return step

    def _gradient_step(self, step: Step) -> None:
        """Note copies, fills and reads that concern gradient memory as such."""
        for index, touch in enumerate(step.touches):
            array = self.primal(touch.pointer)
            if array is None:
                continue
            writes = step.kind == "fill" or (step.kind == "copy" and index == 0)
            step.options["gradient"] = "write" if writes else "read"
            step.options["primal"] = weakref.ref(array)
            if not writes:
                self._gradient_use(step)

    def _fill_hook(self, original: Callable[..., Any], name: str) -> Callable[..., Any]:
        recorder = self

        @functools.wraps(original)
        def fill(array: Any, *args: Any, **kwargs: Any) -> Any:
            if recorder.idle or array.device is None or not array.device.is_cpu or not array.size:
                return original(array, *args, **kwargs)
            step = None
            try:
                step = recorder._begin_write(array, name, args[0] if args else 0.0)
            except Exception as error:
                recorder.trouble(error)
            with recorder.quiet():
                result = original(array, *args, **kwargs)
            recorder._end_write(step)
            return result

        return fill

    def _begin_write(self, array: Any, name: str, value: Any) -> Step:
        step, frame = self.add("fill", name, skip=4)
        touch = self.touch_array(array, "array")
        touch.name = self.names.of(array, frame) if frame is not None else ""
        step.held = self.holding and (self.pending() or self.warp.active_tape() is not None or self.watching)
        if step.held:
            touch.before = self.contents.take(touch.low, touch.high)
        step.touches.append(touch)
        step.value = float(value) if isinstance(value, bool | int | float) else None
        step.keep = [array]
        return step

    def _end_write(self, step: Step | None) -> None:
        if step is None:
            return
        try:
            if step.held:
                touch = step.touches[0]
                content = self.contents.take(touch.low, touch.high)
                touch.after = content if content is not touch.before else None
            self._gradient_step(step)
        except Exception as error:
            self.trouble(error)

    def _assign_hook(self, original: Callable[..., Any]) -> Callable[..., Any]:
        return self._detailed(original, "assign")

    def _clone_hook(self, original: Callable[..., Any]) -> Callable[..., Any]:
        return self._detailed(original, "clone")

    def _detailed(self, original: Callable[..., Any], detail: str) -> Callable[..., Any]:
        """Copies that happen inside `original` are noted with this detail."""
        recorder = self

        @functools.wraps(original)
        def call(*args: Any, **kwargs: Any) -> Any:
            if recorder.idle:
                return original(*args, **kwargs)
            outer, recorder._copy_detail = recorder._copy_detail, detail
            try:
                return original(*args, **kwargs)
            finally:
                recorder._copy_detail = outer

        return call

    def _init_hook(self, original: Callable[..., Any]) -> Callable[..., Any]:
        recorder = self

        @functools.wraps(original)
        def init(array: Any, data: Any = None, *args: Any, **kwargs: Any) -> None:
            if recorder.idle:
                original(array, data, *args, **kwargs)
                return
            if recorder.warp.is_array(data):
                outer, recorder._copy_detail = recorder._copy_detail, "array"
                try:
                    original(array, data, *args, **kwargs)
                finally:
                    recorder._copy_detail = outer
            else:
                with recorder.quiet():
                    original(array, data, *args, **kwargs)
            try:
                if array.device is not None:
                    recorder._know(array)
                    how = "array" if data is not None else "pointer" if kwargs.get("ptr") is not None else "new"
                    site, _, _, _frame = recorder.sites.here(2)
                    if array.ptr:
                        recorder.born[array.ptr] = recorder.counter
                        recorder.allocated[array.ptr] = (site, how)
            except Exception as error:
                recorder.trouble(error)

        return init

    def _read_hook(self, original: Callable[..., Any], name: str) -> Callable[..., Any]:
        recorder = self

        @functools.wraps(original)
        def read(array: Any, *args: Any, **kwargs: Any) -> Any:
            if recorder.idle:
                return original(array, *args, **kwargs)
            with recorder.quiet():
                result = original(array, *args, **kwargs)
            try:
                if recorder.warp.on_cpu(array) and array.ptr:
                    step, frame = recorder.add("read", name, skip=2)
                    touch = recorder.touch_array(array, "array")
                    touch.name = recorder.names.of(array, frame) if frame is not None else ""
                    step.touches.append(touch)
                    recorder._gradient_step(step)
            except Exception as error:
                recorder.trouble(error)
            return result

        return read

    def _property_hook(self, original: Any, name: str) -> Any:
        recorder = self

        def setter(array: Any, value: Any) -> None:
            if recorder.idle:
                original.fset(array, value)
                return
            with recorder.quiet():
                original.fset(array, value)
            try:
                recorder._know(array)
                if array.device is not None and array.ptr:
                    step, frame = recorder.add(
                        "gradient-write" if name == "grad" else "requires-grad", "replace", skip=2
                    )
                    touch = recorder.touch_array(array, "array")
                    touch.name = recorder.names.of(array, frame) if frame is not None else ""
                    step.touches.append(touch)
                    step.value = bool(value) if name == "requires_grad" else None
                    if name == "grad":
                        step.options["primal"] = weakref.ref(array)
            except Exception as error:
                recorder.trouble(error)

        return property(original.fget, setter, original.fdel, original.__doc__)

    def _utility_hook(self, original: Callable[..., Any], name: str) -> Callable[..., Any]:
        recorder = self

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

    def _function_hook(self, original: Callable[..., Any]) -> Callable[..., Any]:
        recorder = self

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
                    recorder._know(array)
                    if step.held:
                        touch.before = recorder.contents.take(touch.low, touch.high)
                    step.touches.append(touch)
                recorder._attach(step, tape, len(tape.launches) - 1)
            except Exception as error:
                recorder.trouble(error)
            return result

        return record_func

    def record_of(self, tape: Any, skip: int) -> TapeRecord:
        record = self.tapes.get(id(tape))
        if record is None or record.tape is not tape:
            site = self.sites.here(skip + 1)[0]
            self._tapes_seen += 1
            record = TapeRecord(self._tapes_seen, weakref.ref(tape), site)
            if len(self.tapes) > MAX_TAPES:
                self.tapes = {key: other for key, other in self.tapes.items() if other.tape is not None}
            self.tapes[id(tape)] = record
            if len(self.tape_list) < MAX_TAPES:
                self.tape_list.append(record)
        return record

    def _enter_hook(self, original: Callable[..., Any]) -> Callable[..., Any]:
        recorder = self

        @functools.wraps(original)
        def enter(tape: Any) -> Any:
            result = original(tape)
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
                if recorder.on_enter is not None and record.checked:
                    recorder.on_enter(record)
            except Exception as error:
                recorder.trouble(error)
            return result

        return enter

    def _exit_hook(self, original: Callable[..., Any]) -> Callable[..., Any]:
        recorder = self

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

    def _tape_hook(self, original: Callable[..., Any], action: str) -> Callable[..., Any]:
        recorder = self

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
                if action == "reset":
                    record.steps.clear()
                    record.differentiated = 0
            except Exception as error:
                recorder.trouble(error)
            return result

        return act

    def _backward_hook(self, original: Callable[..., Any]) -> Callable[..., Any]:
        recorder = self

        @functools.wraps(original)
        def backward(tape: Any, loss: Any = None, grads: Any = None) -> Any:
            if recorder.probing is not None and not recorder._backward and recorder.probing.record.tape is tape:
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
                if recorder.before_backward is not None:
                    recorder._backward += 1
                    try:
                        recorder.before_backward(record, loss, grads)
                    finally:
                        recorder._backward -= 1
            except Exception as error:
                recorder.trouble(error)
            recorder._backward += 1
            try:
                result = original(tape, loss, grads)
            finally:
                recorder._backward -= 1
            if record is not None:
                try:
                    record.differentiated = len(tape.launches)
                    record.backwards += 1
                    record.awaiting = False
                    recorder.asleep = recorder.asleep and not recorder.watching
                    if recorder.after_backward is not None:
                        recorder.after_backward(record)
                except Exception as error:
                    recorder.trouble(error)
            return result

        return backward

    def _graph_hook(self, original: Callable[..., Any]) -> Callable[..., Any]:
        recorder = self

        @functools.wraps(original)
        def call(*args: Any, **kwargs: Any) -> Any:
            if not recorder.graphs:
                recorder.notes.append("the program captures graphs: launches replayed from a graph are not recorded")
            recorder.graphs += 1
            return original(*args, **kwargs)

        return call
