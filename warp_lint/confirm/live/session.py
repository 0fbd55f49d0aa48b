"""One recorded run, seen from inside the program's process: what is checked when, and what is told.

Everything is told by lines of JSON appended to a file, so that it survives whatever the program does.
"""

from __future__ import annotations

import atexit
import contextlib
import json
import os
import signal
import sys
import threading
import time
from pathlib import Path
from typing import Any

import numpy as np

from warp_lint.confirm.live.accounting import Accounts
from warp_lint.confirm.live.budget import Budget
from warp_lint.confirm.live.checks import Check
from warp_lint.confirm.live.comparison import DROWNED_OUT
from warp_lint.confirm.live.double import promote
from warp_lint.confirm.live.encode import encode_judgement, encode_steps
from warp_lint.confirm.live.graphs import Captured, again
from warp_lint.confirm.live.internals import Unsupported, Warp
from warp_lint.confirm.live.judgement import Judgement
from warp_lint.confirm.live.losses import Losses
from warp_lint.confirm.live.probe import ProbeRun, keep_asleep
from warp_lint.confirm.live.recorder import Recorder
from warp_lint.confirm.live.seeds import Seeds
from warp_lint.confirm.live.steps import Step, TapeRecord
from warp_lint.confirm.live.views import Views

GRACE = 30.0  # seconds that a check may run over its share before it is killed
DEPTH = 5_000  # of calls, for checks of a program that allows itself few
_HERE = os.path.dirname(os.path.abspath(__file__)) + os.sep
np.random.default_rng(0)  # imports what it needs while the program's import path is as it was
PROBED = 3  # entries per call site at which a copy of the process is kept


class Log:
    """Appends events to a file. Lines are written whole, so that several processes may share it."""

    def __init__(self, path: str) -> None:
        self._path = path

    def write(self, event: str, **values: Any) -> None:
        data = json.dumps({"event": event, **values}, default=_plain, allow_nan=True).encode() + b"\n"
        # Opened each time: the program may close handles that it doesn't know, and get the number for its own.
        with contextlib.suppress(OSError):
            file = os.open(self._path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
            try:
                os.write(file, data)
            finally:
                os.close(file)


def _plain(value: Any) -> Any:
    if isinstance(value, np.generic):
        return value.item()
    if isinstance(value, np.ndarray):
        return value.tolist()
    return str(value)


class NoLog(Log):
    """Tells nothing."""

    def __init__(self) -> None:
        pass

    def write(self, event: str, **values: Any) -> None:
        pass


class Session:
    """Checks the backwards of one process. `entries`: tape entries checked per call site.
    `stop`: end the program once they are."""

    def __init__(self, warp: Warp, log: Log, entries: int = 9, stop: bool = False, steps_path: str = "") -> None:
        self.warp = warp
        self.log = log
        self.stop = stop
        self.steps_path = steps_path
        self.ended = 0.0  # processor time of copies of the process that are no more
        self.recorder = Recorder(warp, entries)
        self.recorder.before_backward = self.before_backward
        self.recorder.after_backward = self.after_backward
        self.accounts = Accounts(self.recorder, self._observe)
        self.recorder.on_enter = self.entered
        self.recorder.on_gradient_read = self.accounts.read
        self.views = Views(self.recorder, self._observe)
        self.recorder.on_view, self.recorder.on_cleared = self.views.taken, self.cleared
        self.seeds = Seeds(self.recorder, self._observe)
        self.recorder.on_seed = self.seeds.given
        self.recorder.graphs.check = self.before_graph
        self.losses = Losses(self.recorder, self._observe)
        self.started = time.monotonic()
        self.spent = 0.0
        self.budget = Budget(entries)
        self.number = 0
        self.skipped = 0
        self.finished = False
        self.failures = 0
        self._told: dict[str, int] = {}
        self._results = f"{steps_path}.results" if steps_path else ""

    def install(self) -> None:
        self.recorder.install()
        self.log.write(
            "start",
            warp=self.warp.name,
            python=sys.version.split()[0],
            untried=self.warp.untried,
            pid=os.getpid(),
        )

    def entered(self, record: TapeRecord) -> None:
        """Keep a copy of the process asleep at the entry of a tape that will be checked."""
        for other in self.recorder.tapes.values():
            self._end_copy(other)
        if self._seconds(record, self.number + 1) is None:
            # No time to check it: it costs nothing then, and a later one is checked in its place.
            record.checked = False
            self.recorder.asleep = not self.recorder.pending()
            self.recorder.entered_per_site[self.recorder.steps[-1].site] -= 1
            return
        if record.enters > 1 or self.recorder.entered_per_site.get(self.recorder.steps[-1].site, 0) > PROBED:
            return
        try:
            found = keep_asleep(self.recorder, record)
        except OSError:
            found = None
        if isinstance(found, ProbeRun):
            self.recorder.probing = found
            self.log = NoLog()
        else:
            record.probe = found

    def cleared(self, step: Step) -> None:
        self.views.cleared(step)
        self.seeds.look(step.site)

    # Backwards

    def before_backward(self, record: TapeRecord, loss: Any, grads: Any) -> None:
        self.number += 1
        self.accounts.before(record)
        self.seeds.before()
        self.losses.before(record, loss)
        if not record.checked:
            self.skipped += 1
            return
        seconds = self._seconds(record, self.number)
        if seconds is None:
            self.skipped += 1
            return
        started = self._clock()
        self._dump_steps()
        self._check(record, loss, grads, seconds)
        self._take_over()
        self._paid(record, started)

    def before_graph(self, captured: Captured) -> None:
        """A captured graph with a backward pass is about to run: check that pass on a recording of its own."""
        self.number += 1
        seconds = self._seconds(captured.record, self.number)
        if seconds is None or not hasattr(os, "fork"):
            self.skipped += 1
            return
        started = self._clock()
        self._check(captured.record, captured.loss, captured.grads, seconds, captured)
        with contextlib.suppress(OSError):
            os.unlink(self._results)
        self._paid(captured.record, started)

    def _clock(self) -> float:
        """Processor time of this process and its children, in seconds: what other programs take of a busy
        machine doesn't count."""
        spent = os.times()
        copies = [record.probe.spent() for record in self.recorder.tapes.values() if record.probe is not None]
        mine = spent.user + spent.system + spent.children_user + spent.children_system
        return float(mine + sum(copies) + self.ended)

    def _end_copy(self, record: TapeRecord) -> None:
        if record.probe is not None:
            self.ended += record.probe.spent()
            record.probe.close()
            record.probe = None

    def _own(self) -> float:
        """Processor time of the program itself so far."""
        return self._clock() - self.spent - self.recorder.contents.seconds

    def _seconds(self, record: TapeRecord, number: int) -> float | None:
        """What the next check may take; None if there is no time for it."""
        return self.budget.next(self._own(), self.spent + self.recorder.contents.seconds, number, record.site)

    def _paid(self, record: TapeRecord, started: float) -> None:
        cost = self._clock() - started
        self.spent += cost
        self.budget.took(cost, record.site)

    def _check(
        self, record: TapeRecord, loss: Any, grads: Any, seconds: float, captured: Captured | None = None
    ) -> None:
        site = self.recorder.steps[-1].site if captured is None else captured.site
        head = {
            "number": self.number,
            "tape": record.id,
            "site": [site.path, site.line],
            "entered": [record.site.path, record.site.line],
        }
        if not hasattr(os, "fork"):
            self._examine(record, loss, grads, seconds, head)
            return
        _flush()
        try:
            child = os.fork()
        except OSError as error:
            self.log.write("backward", **head, status="inconclusive", reason=f"no process for the check: {error}")
            return
        if child == 0:
            try:
                quiet = os.open(os.devnull, os.O_RDWR)
                for stream in (0, 1, 2):
                    os.dup2(quiet, stream)
                signal.alarm(0)
                sys.settrace(None)
                sys.setrecursionlimit(max(sys.getrecursionlimit(), DEPTH))
                if captured is not None:
                    record = self._recorded_again(captured)
                self._examine(record, loss, grads, seconds, head)
            except BaseException as error:
                self.log.write(
                    "backward",
                    **head,
                    status="inconclusive",
                    reason=f"the check failed: {type(error).__name__}: {error}{_where(error)}",
                )
            finally:
                os._exit(0)
        self._wait(child, seconds + GRACE, head)

    def _recorded_again(self, captured: Captured) -> TapeRecord:
        """In a copy of the process: the graph's steps done one by one."""
        recorder = self.recorder
        recorder.pid, recorder.on_enter, recorder.asleep = os.getpid(), None, False
        record = again(recorder, captured)
        recorder.inside_backward += 1
        return record

    def _wait(self, child: int, seconds: float, head: dict[str, Any]) -> None:
        """`seconds` are of processor time; a busy machine may give half of it."""
        deadline = time.monotonic() + 2 * seconds
        pause = 0.001
        while True:
            try:
                done, status = os.waitpid(child, os.WNOHANG)
            except ChildProcessError:  # the program has ended children reaped
                if not _alive(child):
                    return
                done, status = 0, 0
            if done:
                if os.WIFSIGNALED(status):
                    self.log.write(
                        "backward",
                        **head,
                        status="inconclusive",
                        reason=f"the check crashed: {signal.Signals(os.WTERMSIG(status)).name}",
                    )
                return
            if time.monotonic() > deadline:
                os.kill(child, signal.SIGKILL)
                with contextlib.suppress(ChildProcessError):
                    os.waitpid(child, 0)
                self.log.write(
                    "backward", **head, status="inconclusive", reason=f"the check took more than {seconds:.0f} s"
                )
                return
            time.sleep(pause)
            pause = min(pause * 1.5, 0.02)

    def _examine(self, record: TapeRecord, loss: Any, grads: Any, seconds: float, head: dict[str, Any]) -> None:
        recorder = self.recorder
        check = Check(
            self.warp, recorder.steps, record, loss, grads, seconds, self.number, recorder.steps[-1].site, recorder,
            self.accounts.given,
        )  # fmt: skip
        judgement = check.run()
        self.log.write("backward", **head, **encode_judgement(judgement))
        self._hand_over(check, judgement)

    def _hand_over(self, check: Check, judgement: Judgement) -> None:
        """Leave for the program's process what its accounts need."""
        corrected = {
            str(p.touch.pointer + p.delta): p.ideal.tolist()
            for p in judgement.parameters
            if p.ideal is not None and p.ideal.size <= 4096 and not np.array_equal(p.ideal, p.own)
        }
        if self._results:
            told = {"corrected": corrected, "candidates": check.candidates, "drowned": judgement.reason == DROWNED_OUT}
            Path(self._results).write_text(json.dumps(told), encoding="utf-8")

    def _take_over(self) -> None:
        try:
            data = json.loads(Path(self._results).read_text(encoding="utf-8"))
            os.unlink(self._results)
        except (OSError, ValueError):
            return
        self.budget.drowned = self.budget.drowned + 1 if data["drowned"] else 0
        self.accounts.corrected = {int(k): v for k, v in data["corrected"].items()}
        for candidate in data["candidates"]:
            self.accounts.missed[candidate["pointer"]] = candidate

    def after_backward(self, record: TapeRecord) -> None:
        self.accounts.after(record)
        self.seeds.look(self.recorder.steps[-1].site)
        if self.stop and self._complete():
            self.finish("stopped")
            _flush()
            os._exit(0)
        self._trim(record)

    def _trim(self, record: TapeRecord) -> None:
        """Give up contents that no later check can want."""
        first = min((s.index for s in record.steps.values()), default=self.recorder.counter)
        if record.checked:
            self.recorder.release_before(first)

    def _complete(self) -> bool:
        counts = self.recorder.entered_per_site
        return bool(counts) and min(counts.values()) >= self.recorder.entries

    # Telling

    def _observe(self, observation: dict[str, Any]) -> None:
        key = f"{observation['code']}:{observation.get('array')}:{observation['site']}"
        count = self._told.get(key, 0)
        self._told[key] = count + 1
        if count < 2 * self.recorder.entries:
            self.log.write("observation", number=self.number, **observation)

    def _dump_steps(self) -> None:
        if not self.steps_path:
            return
        try:
            encoded = encode_steps(self.recorder)
            Path(self.steps_path).write_text(json.dumps(encoded, default=_plain), encoding="utf-8")
        except Exception as error:
            self.recorder.trouble(error)

    def finish(self, how: str = "exit") -> None:
        if self.recorder.probing is not None:
            os._exit(1)  # a copy of the process that missed its backward
        if self.finished or os.getpid() != self.recorder.pid:
            return
        self.finished = True
        self.views.settle()
        for record in self.recorder.tapes.values():
            self._end_copy(record)
        self._dump_steps()
        own = time.monotonic() - self.started
        self.log.write(
            "end",
            how=how,
            seconds=own,
            checking=self.spent + self.recorder.contents.seconds,
            own=self._own(),
            backwards=self.number,
            skipped=self.skipped,
            launches=sum(s.kind == "launch" for s in self.recorder.steps),
            tapes=len(self.recorder.tape_list),
            gpu=self.recorder.gpu,
            troubles=self.recorder.troubles,
            notes=self.recorder.notes,
        )


def _where(error: BaseException) -> str:
    """File and line in this package where an exception was raised."""
    trace, found = error.__traceback__, ""
    while trace is not None:
        code = trace.tb_frame.f_code
        if code.co_filename.startswith(_HERE):
            found = f" ({os.path.basename(code.co_filename)}:{trace.tb_lineno})"
        trace = trace.tb_next
    return found


def _flush() -> None:
    """Buffered output must not be written twice. The program may have closed its streams."""
    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(Exception):
            stream.flush()


def _alive(child: int) -> bool:
    try:
        os.kill(child, 0)
    except OSError:
        return False
    return True


def without_hooks(value: BaseException, trace: Any) -> Any:
    """The traceback as it would be without the recorder: for the exception and for those that led to it."""
    seen: set[int] = set()
    queue: list[BaseException | None] = [value]
    while queue:
        error = queue.pop()
        if error is None or id(error) in seen:
            continue
        seen.add(id(error))
        error.__traceback__ = _skipped(error.__traceback__)
        queue += [error.__cause__, error.__context__]
    return _skipped(trace)


def _skipped(trace: Any) -> Any:
    """A traceback without the frames of the hooks."""
    while trace is not None and trace.tb_frame.f_code.co_filename.startswith(_HERE):
        trace = trace.tb_next
    inner = trace
    while inner is not None:
        following = inner.tb_next
        while following is not None and following.tb_frame.f_code.co_filename.startswith(_HERE):
            following = following.tb_next
        inner.tb_next = following
        inner = following
    return trace


def start(module: Any, config: str) -> Session | None:
    """Install a recorder in a freshly imported Warp, as the configuration file says."""
    values = json.loads(Path(config).read_text(encoding="utf-8"))
    log = Log(values["events"])
    if values.get("double"):
        try:
            promote(module, values.get("cache", ""))
        except Exception as error:
            log.write("unsupported", message=f"this Warp can't be put in double precision ({error})")
            os._exit(1)
    try:
        warp = Warp(module)
    except Unsupported as error:
        log.write("unsupported", message=str(error))
        return None
    session = Session(warp, log, values.get("entries", 9), values.get("stop", False), values.get("steps", ""))
    session.budget.limit = values.get("limit") or session.budget.limit
    session.install()
    atexit.register(session.finish)
    previous = sys.excepthook

    def excepthook(kind: Any, value: Any, trace: Any) -> None:
        log.write("exception", type=kind.__name__, message=str(value)[:500])
        with contextlib.suppress(Exception):
            trace = without_hooks(value, trace)
        previous(kind, value, trace)

    sys.excepthook = excepthook
    in_thread = threading.excepthook

    def thread_excepthook(args: Any) -> None:
        if args.exc_value is not None:
            with contextlib.suppress(Exception):
                trace = without_hooks(args.exc_value, args.exc_traceback)
                args = type(args)((args.exc_type, args.exc_value, trace, args.thread))
        in_thread(args)

    threading.excepthook = thread_excepthook
    return session
