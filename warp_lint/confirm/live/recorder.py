"""The recorder: hooks under Warp's public surface that note what happens to arrays.

It changes nothing that the program can see on the CPU: every hook calls what it stands for once, with
the same arguments, and lets its exceptions through. What the recorder itself gets wrong is kept in
`troubles` and never raised.
"""

from __future__ import annotations

import os
import sys
import threading
import weakref
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from time import process_time
from typing import Any

from warp_lint.confirm.live.graphs import Graphs
from warp_lint.confirm.live.handles import Handles
from warp_lint.confirm.live.hooks import arrays, bridges, frees, handles, launches, structs, tapes
from warp_lint.confirm.live.internals import Argument, Warp, descriptor_span
from warp_lint.confirm.live.memory import Contents
from warp_lint.confirm.live.sites import Names, Sites
from warp_lint.confirm.live.steps import Site, Step, TapeRecord, Touch

MAX_STEPS = 60_000
MAX_TAPES = 200
RING_STEPS = 1_000  # launches before a tape that keep their contents
RING_TOTAL = 64 << 20


class Ours:
    """See `Recorder.ours`."""

    __slots__ = ("recorder", "started")

    def __init__(self, recorder: Recorder) -> None:
        self.recorder = recorder

    def __enter__(self) -> None:
        self.started = process_time()

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> bool:
        self.recorder.contents.seconds += process_time() - self.started
        if isinstance(error, Exception):
            self.recorder.trouble(error)
            return True
        return False


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
        self.handles = Handles()
        self.troubles: list[str] = []
        self.notes: list[str] = []
        self.gradients: dict[int, Any] = {}  # address of gradient memory -> weak reference to its array
        self.born: dict[int, int] = {}  # address -> number of the step before which an array was made there
        # address -> call path to where an array was made there last, and how
        self.allocated: dict[int, tuple[tuple[Site, ...], str]] = {}
        self.struct_writes: dict[int, list[tuple[int, str, Site]]] = {}  # by id() of the struct instance
        self.entered_per_site: dict[Site, int] = {}
        self.before_backward: Callable[[TapeRecord, Any, Any], None] | None = None
        self.after_backward: Callable[[TapeRecord], None] | None = None
        self.on_enter: Callable[[TapeRecord], None] | None = None
        self.on_gradient_read: Callable[[Step], None] | None = None
        self.on_view: Callable[[Step, Any], None] | None = None
        self.on_cleared: Callable[[Step], None] | None = None
        self.on_seed: Callable[[Step, Any, str], None] | None = None
        self.on_step: Callable[[], None] | None = None
        self.graphs = Graphs(self)
        self.graph_tape: Any = None
        self.gpu = 0
        self.counter = 0
        self.dropped = 0
        self.asleep = False  # nothing that happens now will be checked
        self._tapes_seen = 0
        self._ring: deque[tuple[Step, int]] = deque()
        self._ring_bytes = 0
        self._busy = 0
        self.inside_backward = 0
        self.copy_detail = ""
        self._undo: list[tuple[Any, str, Any]] = []
        self.at_uninstall: list[Callable[[], None]] = []
        self.torch_watched = False
        self.postponed: list[tuple[int, int, Callable[[], None]]] = []  # address, bytes, and how to free them
        self._thread = threading.get_ident()
        self.pid = os.getpid()
        self._other_threads = False

    # Installation

    def install(self) -> None:
        for hooks in (launches, arrays, tapes, handles, structs, bridges, frees):
            hooks.install(self)

    def patch(self, owner: Any, name: str, value: Any) -> None:
        self._undo.append((owner, name, getattr(owner, name) if not isinstance(owner, type) else owner.__dict__[name]))
        setattr(owner, name, value)

    def uninstall(self) -> None:
        for owner, name, value in reversed(self._undo):
            setattr(owner, name, value)
        self._undo.clear()
        for undo in self.at_uninstall:
            undo()
        self.at_uninstall.clear()

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
            or self.inside_backward
            or self.probing is not None
            or (os.getpid() != self.pid and not self.follows_fork)
        ):
            return True
        if threading.get_ident() != self._thread:
            if self._thread not in sys._current_frames():  # it has ended
                self._thread = threading.get_ident()
                return False
            if not self._other_threads:
                self._other_threads = True
                self.notes.append(
                    "the program uses Warp from more than one thread: only the one that opened the first tape was "
                    "recorded"
                )
            return True
        return False

    def adopt_thread(self) -> None:
        """A tape is entered: the first one decides which thread is recorded."""
        if not self.tape_list:
            self._thread = threading.get_ident()

    follows_fork = False
    probing: Any = None  # set in a copy of the process that only runs on to a backward

    def trouble(self, error: BaseException) -> None:
        if len(self.troubles) < 20:
            import traceback

            last = traceback.extract_tb(error.__traceback__)[-1:] or None
            where = f" ({os.path.basename(last[0].filename)}:{last[0].lineno})" if last else ""
            self.troubles.append(f"{type(error).__name__}: {error}{where}")

    def ours(self) -> Ours:
        """For what a hook does beside the program's own call: its time is recording, its errors are troubles."""
        return Ours(self)

    def note(self, text: str) -> None:
        """Something that limits the answer; told once."""
        if text not in self.notes:
            self.notes.append(text)

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
        if self.on_step is not None:
            self.on_step()
        if len(self.steps) > MAX_STEPS:
            self._forget(MAX_STEPS // 4)
        return step, frame

    def keep_in_ring(self, step: Step) -> None:
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
        return self.contents.size < self.budget and not self.capturing

    @property
    def capturing(self) -> bool:
        """Whether a graph is being captured: nothing runs then."""
        return self.graphs.open is not None

    def release_before(self, index: int) -> None:
        """Give up what is held of earlier steps, unless a tape that awaits its backward needs them."""
        for key, record in list(self.tapes.items()):
            if record.tape is None:
                del self.tapes[key]
        held = {id(s) for r in self.tapes.values() if r.awaiting for s in r.steps.values()}
        held.update(id(s) for r in self.tapes.values() for s in r.steps.values() if s.index >= index)
        held.update(id(s) for s in self.handles.current.values() if s is not None)
        held.update(id(b) for s in self.steps if id(s) in held or s.index >= index for b in s.handles.values())
        for step in self.steps:
            if step.index >= index:
                break
            if (step.held or step.keep or step.entry is not None) and id(step) not in held:
                step.release()
        self._ring.clear()
        self._ring_bytes = 0
        touches = [t for s in self.steps if s.held for t in s.touches]
        kept = {id(c): c.size for t in touches for c in (t.before, t.after) if c is not None}
        self.contents.forget({t.low for t in touches if t.before is not None})
        self.contents.size = sum(kept.values())
        self.free()

    def free(self, all_of_it: bool = False) -> None:
        """Free what was to be freed while its contents were held, as far as they no longer are."""
        waiting, self.postponed = self.postponed, []
        for pointer, size, free in waiting:
            if not all_of_it and self.contents.within(pointer, pointer + size):
                self.postponed.append((pointer, size, free))
            else:
                free()

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

    def know(self, array: Any) -> None:
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

    watching = True  # some call site of a tape may still be checked

    def gradient_use(self, step: Step) -> None:
        if self.on_gradient_read is not None and step.kind in ("launch", "read", "gradient-read", "copy"):
            self.on_gradient_read(step)

    def attach(self, step: Step, tape: Any, count: int) -> None:
        """Tie a step to the entry that Warp made for it on the tape."""
        if tape is None or len(tape.launches) <= count:
            return
        record = self.tapes.get(id(tape))
        step.entry = tape.launches[-1]
        step.recorded = True
        if record is not None:
            record.steps[id(step.entry)] = step
            if not step.held and record.checked and not record.overflow and not self.capturing:
                record.overflow = "the tape needs more memory than the recorder may hold"
        if step.kind == "launch" and isinstance(step.entry, list) and len(step.entry) > 7:
            caller = step.entry[7].get("caller") if isinstance(step.entry[7], dict) else None
            if caller is not None and step.call_path:
                caller["file"], caller["lineno"] = step.site.path, step.site.line

    def gradient_step(self, step: Step) -> None:
        """Note copies, fills and reads that concern gradient memory as such."""
        for index, touch in enumerate(step.touches):
            array = self.primal(touch.pointer)
            if array is None:
                continue
            writes = step.kind == "fill" or (step.kind == "copy" and index == 0)
            step.options["gradient"] = "write" if writes else "read"
            step.options["primal"] = weakref.ref(array)
            if not writes:
                self.gradient_use(step)

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
