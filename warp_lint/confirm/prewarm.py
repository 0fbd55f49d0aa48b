"""A worker that imports Warp while the linter is still looking for something to give it."""

from __future__ import annotations

import atexit
import os
import shutil
import time
from dataclasses import dataclass
from pathlib import Path

from warp_lint.confirm.options import ConfirmOptions
from warp_lint.confirm.process import Worker, python_command

MODULE = "warp_lint.confirm.worker"


@dataclass(slots=True)
class Place:
    """Files of one run of a worker: `stem` with several endings. `scratch` holds its temporary files."""

    stem: Path

    @property
    def events(self) -> Path:
        return self.stem.with_suffix(".events")

    @property
    def log(self) -> Path:
        return self.stem.with_suffix(".log")

    @property
    def task(self) -> Path:
        return self.stem.with_suffix(".json")

    @property
    def scratch(self) -> Path:
        return self.stem.with_suffix(".tmp")

    def launch(self, options: ConfirmOptions, argument: str, waits: bool = False) -> Worker:
        """Start a worker here. Raises OSError."""
        # Its own folder for temporary files: what a crash leaves behind goes with it.
        self.scratch.mkdir(parents=True, exist_ok=True)
        command = [*python_command(options.python), "-m", MODULE, argument]
        env = {"TMPDIR": str(self.scratch)}
        if "PYTHONDONTWRITEBYTECODE" not in os.environ:
            env["PYTHONDONTWRITEBYTECODE"] = ""  # of this package's modules; none of the user's are imported
        return Worker(command, self.events, self.log, cwd=self.stem.parent, env=env, waits=waits)

    def clear(self) -> None:
        for path in (self.events, self.log, self.task):
            path.unlink(missing_ok=True)
        shutil.rmtree(self.scratch, ignore_errors=True)


_waiting: list[tuple[tuple[object, ...], Place, Worker]] = []


def _key(options: ConfirmOptions) -> tuple[object, ...]:
    return options.python, Path(options.cache_dir).absolute()


def start(options: ConfirmOptions) -> None:
    """Have a worker ready for the first kernels that these options run. Never raises."""
    runs = Path(options.cache_dir).absolute() / "runs"
    place = Place(runs / f"ready-{os.getpid()}-{time.time_ns()}")
    try:
        worker = place.launch(options, f"@{runs.parent}", waits=True)
    except OSError:
        return
    if not _waiting:
        atexit.register(drop)
    _waiting.append((_key(options), place, worker))


def take(options: ConfirmOptions) -> tuple[Place, Worker] | None:
    """A worker that waits for a task, if there is one; the caller clears its place."""
    for entry in _waiting:
        key, place, worker = entry
        if key == _key(options):
            _waiting.remove(entry)
            if worker.running:
                return place, worker
            worker.stop()
            place.clear()
            break
    return None


def drop() -> None:
    """End workers that nothing was found for."""
    while _waiting:
        _, place, worker = _waiting.pop()
        worker.stop()
        place.clear()
