"""Finite differences of the program itself, host code included.

At the entry of a tape a copy of the process is kept asleep (`fork`). Asked, it wakes a further copy, changes
an array, goes on with the user's own code up to the same backward, tells the objective, and ends. What the
host computes between, out of `.numpy()` or in unrecorded calls, is part of what is differentiated.
"""

from __future__ import annotations

import contextlib
import json
import os
import select
import signal
import struct
import time
from typing import TYPE_CHECKING, Any

import numpy as np

from warp_lint.confirm.live.steps import TapeRecord, Touch

if TYPE_CHECKING:
    from warp_lint.confirm.live.recorder import Recorder

PATIENCE = 8.0  # seconds for one answer
_FAILED = float("nan")


class Probe:
    """The sleeping copy of the process, seen from the program."""

    def __init__(self, child: int, request: int, answer: int, owner: int) -> None:
        self.child = child
        self._request = request
        self._answer = answer
        self._owner = owner
        self._handles = [_identity(request), _identity(answer)]
        self.broken = False

    def ask(self, changes: list[tuple[Touch, Any]]) -> float:
        """The objective with `values` added to each array at the tape's entry; NaN if there is no answer."""
        if self.broken or not self._mine():
            return _FAILED
        parts = []
        for touch, values in changes:
            parts.append(
                {
                    "pointer": touch.pointer,
                    "shape": touch.shape,
                    "strides": touch.strides,
                    "dtype": touch.element.dtype.str,
                    "inner": touch.element.inner,
                    "values": np.asarray(values, float).ravel().tolist(),
                }
            )
        data = json.dumps(parts).encode()
        try:
            os.write(self._request, struct.pack("<q", len(data)))
            written = 0
            while written < len(data):
                written += os.write(self._request, data[written:])
            ready, _, _ = select.select([self._answer], [], [], PATIENCE + 2)
            raw = os.read(self._answer, 8) if ready else b""
        except OSError:
            raw = b""
        if len(raw) != 8:
            self.broken = True
            return _FAILED
        return float(struct.unpack("<d", raw)[0])

    def _mine(self) -> bool:
        """Whether the pipes are still ours: the program may have closed them, and got their numbers for its own."""
        return [_identity(self._request), _identity(self._answer)] == self._handles

    def spent(self) -> float:
        """Processor time of the copies that were woken, in seconds; 0 where the system doesn't tell."""
        try:
            with open(f"/proc/{self.child}/stat", encoding="ascii", errors="replace") as stream:
                fields = stream.read().rpartition(")")[2].split()
            return sum(map(int, fields[11:15])) / float(os.sysconf("SC_CLK_TCK"))
        except (OSError, ValueError, IndexError):
            return 0.0

    def close(self) -> None:
        """End the sleeping copy. Only the process that made it may."""
        if os.getpid() != self._owner:
            return
        for handle, identity in zip((self._request, self._answer), self._handles, strict=True):
            with contextlib.suppress(OSError):
                if _identity(handle) == identity:
                    os.close(handle)
        with contextlib.suppress(OSError):
            os.kill(self.child, signal.SIGKILL)


def _identity(handle: int) -> tuple[int, int] | None:
    try:
        status = os.fstat(handle)
    except OSError:
        return None
    return (status.st_dev, status.st_ino)


class ProbeRun:
    """The state of a copy that runs on to its backward: where to tell the objective."""

    def __init__(self, answer: int, record: TapeRecord) -> None:
        self.answer = answer
        self.record = record

    def tell(self, recorder: Recorder, loss: Any, grads: Any) -> None:
        try:
            value = objective(recorder, loss, grads)
        except Exception:
            value = _FAILED
        try:
            os.write(self.answer, struct.pack("<d", value))
        finally:
            os._exit(0)


def objective(recorder: Recorder, loss: Any, grads: Any) -> float:
    """What a backward differentiates: the loss, or the outputs weighted by their seeds."""
    with recorder.quiet():
        if loss is not None:
            return float(loss.numpy().astype(float).sum())
        total = 0.0
        for array, seed in (grads or {}).items():
            total += float((array.numpy().astype(float) * seed.numpy().astype(float)).sum())
        return total


def keep_asleep(recorder: Recorder, record: TapeRecord) -> Probe | ProbeRun | None:
    """Fork at a tape's entry. Returns a Probe in the program, a ProbeRun in a copy that was woken."""
    if not hasattr(os, "fork"):
        return None
    request_out, request_in = os.pipe()
    answer_out, answer_in = os.pipe()
    owner = os.getpid()
    # Forked twice, so that it is no child of the program's: that may wait for all of its children.
    child = os.fork()
    if child:
        os.close(request_out)
        os.close(answer_in)
        with contextlib.suppress(ChildProcessError):
            os.waitpid(child, 0)
        raw = os.read(answer_out, 8)
        if len(raw) == 8:
            return Probe(struct.unpack("<q", raw)[0], request_in, answer_out, owner)
        os.close(request_in)
        os.close(answer_out)
        return None
    try:
        copy = os.fork()
    except OSError:
        os._exit(1)
    if copy:
        os.write(answer_in, struct.pack("<q", copy))
        os._exit(0)
    os.close(request_in)
    os.close(answer_out)
    return _sleep(recorder, record, request_out, answer_in)


def _sleep(recorder: Recorder, record: TapeRecord, request: int, answer: int) -> ProbeRun:
    """Serve requests; returns only in a woken copy."""
    quiet = os.open(os.devnull, os.O_RDWR)
    for stream in (0, 1, 2):
        os.dup2(quiet, stream)
    signal.alarm(0)
    while True:
        head = os.read(request, 8)
        if len(head) != 8:
            os._exit(0)
        size = struct.unpack("<q", head)[0]
        data = b""
        while len(data) < size:
            part = os.read(request, size - len(data))
            if not part:
                os._exit(0)
            data += part
        inner_out, inner_in = os.pipe()
        copy = os.fork()
        if copy == 0:
            os.close(inner_out)
            try:
                _change(json.loads(data))
            except Exception:
                os._exit(1)
            return ProbeRun(inner_in, record)
        os.close(inner_in)
        os.write(answer, _answer_of(copy, inner_out))
        os.close(inner_out)


def _answer_of(copy: int, handle: int) -> bytes:
    ready, _, _ = select.select([handle], [], [], PATIENCE)
    raw = os.read(handle, 8) if ready else b""
    with contextlib.suppress(OSError):
        os.kill(copy, signal.SIGKILL)
    deadline = time.monotonic() + 2
    while time.monotonic() < deadline:
        if os.waitpid(copy, os.WNOHANG)[0]:
            break
        time.sleep(0.001)
    return raw if len(raw) == 8 else struct.pack("<d", _FAILED)


def _change(parts: list[dict[str, Any]]) -> None:
    from warp_lint.confirm.live.internals import Element
    from warp_lint.confirm.live.memory import elements

    for part in parts:
        dtype = np.dtype(part["dtype"])
        inner = tuple(part["inner"])
        size = dtype.itemsize * int(np.prod(inner)) if inner else dtype.itemsize
        element = Element(dtype, inner, size, True, "")
        view = elements(part["pointer"], tuple(part["shape"]), tuple(part["strides"]), element)
        view += np.asarray(part["values"], float).reshape(view.shape).astype(dtype)
