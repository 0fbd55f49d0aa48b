"""Running untrusted code: a subprocess with limits that reports by lines of JSON in a file."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

POLL_SECONDS = 0.005
TAIL_BYTES = 4000


@dataclass(frozen=True, slots=True)
class Exit:
    """How a subprocess ended. `reason` is "done", "crashed", "timed out" or "failed"; `detail` says more:
    the signal, the limit in seconds, or the end of what it wrote to standard error."""

    reason: str
    detail: str
    code: int | None


def package_root() -> Path:
    """The folder that holds the `warp_lint` package, for a subprocess's import path."""
    return Path(__file__).resolve().parent.parent.parent


def environment(extra: Mapping[str, str] | None = None) -> dict[str, str]:
    """The environment of a subprocess that can import this package, whatever its interpreter."""
    env = dict(os.environ)
    path = [str(package_root())]
    if env.get("PYTHONPATH"):
        path.append(env["PYTHONPATH"])
    env["PYTHONPATH"] = os.pathsep.join(path)
    env.setdefault("PYTHONDONTWRITEBYTECODE", "1")
    env.update(extra or {})
    return env


def limit_memory(size: int) -> None:
    """Bound this process's address space in bytes; does nothing where the system has no such limit."""
    if size <= 0:
        return
    try:
        import resource

        _, hard = resource.getrlimit(resource.RLIMIT_AS)
        bound = size if hard == resource.RLIM_INFINITY else min(size, hard)
        resource.setrlimit(resource.RLIMIT_AS, (bound, hard))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    except (ImportError, ValueError, OSError):
        pass


def end_with_parent() -> None:
    """Leave when the process that started this one is gone, even killed: a kernel may never return."""
    if os.name != "posix":
        return
    parent = os.getppid()

    def watch() -> None:
        while os.getppid() == parent:
            time.sleep(1.0)
        os._exit(1)

    threading.Thread(target=watch, daemon=True).start()


class Worker:
    """One subprocess whose events are lines of JSON appended to a file.

    `events(patience)` yields them as they come; it ends when the process ends, or kills it when no
    event came for `patience` seconds. `exit` then tells how it ended.
    """

    def __init__(
        self,
        command: Sequence[str],
        events: Path,
        log: Path,
        cwd: Path | None = None,
        env: Mapping[str, str] | None = None,
        waits: bool = False,
    ) -> None:
        self._events = events
        self._log = log
        events.write_bytes(b"")
        self._output = log.open("wb")
        self._process = subprocess.Popen(
            list(command),
            stdin=subprocess.PIPE if waits else subprocess.DEVNULL,
            stdout=self._output,
            stderr=subprocess.STDOUT,
            cwd=cwd,
            env=environment(env),
            start_new_session=os.name == "posix",
        )
        self.exit: Exit | None = None

    def events(self, patience: float) -> Iterator[dict[str, object]]:
        """Events in order. The consumer may set `self.patience` between events."""
        self.patience = patience
        last = time.monotonic()
        try:
            with self._events.open("rb") as stream:
                while True:
                    ended = self._process.poll() is not None
                    for event in self._lines(stream):
                        last = time.monotonic()
                        yield event
                    if ended:
                        self.exit = self._ended()
                        return
                    if time.monotonic() - last > self.patience:
                        self.stop()
                        self.exit = Exit("timed out", f"no result within {self.patience:g} s", None)
                        return
                    time.sleep(POLL_SECONDS)
        finally:
            self.stop()
            self._output.close()

    @property
    def running(self) -> bool:
        return self._process.poll() is None

    def give(self, text: str) -> None:
        """One line of input for a process that waits for it. Raises OSError if it has ended."""
        assert self._process.stdin is not None
        with self._process.stdin as stream:
            stream.write(text.encode() + b"\n")

    def stop(self) -> None:
        """Kill the process and whatever it started."""
        if self._process.poll() is None:
            try:
                if os.name == "posix":
                    os.killpg(self._process.pid, signal.SIGKILL)
                else:
                    self._process.kill()
            except (ProcessLookupError, PermissionError):
                pass
            self._process.wait()
        if self._process.stdin is not None and not self._process.stdin.closed:
            self._process.stdin.close()

    def tail(self) -> str:
        """The end of what the process printed."""
        try:
            return self._log.read_bytes()[-TAIL_BYTES:].decode("utf-8", "replace")
        except OSError:
            return ""

    @staticmethod
    def _lines(stream: object) -> Iterator[dict[str, object]]:
        from typing import BinaryIO, cast

        reader = cast(BinaryIO, stream)
        while True:
            position = reader.tell()
            line = reader.readline()
            if not line.endswith(b"\n"):
                reader.seek(position)
                return
            try:
                event = json.loads(line)
            except ValueError:
                continue
            if isinstance(event, dict):
                yield event

    def _ended(self) -> Exit:
        code = self._process.returncode
        if code == 0:
            return Exit("done", "", 0)
        if code < 0:
            try:
                name = signal.Signals(-code).name
            except ValueError:
                name = f"signal {-code}"
            return Exit("crashed", name, code)
        lines = [line for line in self.tail().splitlines() if line.strip()]
        return Exit("failed", lines[-1] if lines else f"exit code {code}", code)


class EventLog:
    """The worker's side: append events so that they survive a crash of the next instruction."""

    def __init__(self, path: str) -> None:
        self._stream = open(path, "ab", buffering=0)  # noqa: SIM115

    def write(self, **event: object) -> None:
        self._stream.write(json.dumps(event, default=_plain).encode() + b"\n")


def _plain(value: object) -> object:
    item = getattr(value, "item", None)
    return item() if callable(item) else str(value)


def python_command(python: str | None = None) -> list[str]:
    return [python or sys.executable, "-u"]
