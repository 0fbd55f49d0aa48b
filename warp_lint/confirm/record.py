"""Recording inside the caller's own process: for functions called from Python, and for tests."""

from __future__ import annotations

import importlib
import os
import tempfile
import time
from pathlib import Path
from types import TracebackType

from warp_lint.confirm.program import ProgramReport, Run, read_data, read_lines, report_of


class Recording:
    """A context manager. After the block, `report` says what the gradients in it were worth."""

    def __init__(self, backwards: int = 9) -> None:
        self.backwards = backwards
        self.report = ProgramReport(["<recording>"], sentence="nothing was recorded")

    @property
    def right(self) -> bool:
        return self.report.status == "right"

    @property
    def wrong(self) -> bool:
        return self.report.status == "wrong"

    @property
    def text(self) -> str:
        """The report for people."""
        return "\n".join([*self.report.observations, f"SUMMARY: warp-lint: {self.report.sentence}"])

    def __enter__(self) -> Recording:
        from warp_lint.confirm.live.internals import Unsupported, Warp
        from warp_lint.confirm.live.session import Log, Session

        self._folder = tempfile.TemporaryDirectory(prefix="warp-lint-")
        self._events = Path(self._folder.name, "events.jsonl")
        self._steps = Path(self._folder.name, "steps.json")
        try:
            warp = Warp(importlib.import_module("warp"))
        except Unsupported as error:
            self._folder.cleanup()
            raise RuntimeError(str(error)) from error
        warp.module.init()
        self._session = Session(warp, Log(str(self._events)), self.backwards, steps_path=str(self._steps))
        self._session.install()
        self._started = time.monotonic()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._session.recorder.probing is not None:
            os._exit(1)  # a copy of the process that missed its backward
        self._session.recorder.uninstall()
        self._session.finish("block")
        run = Run(read_lines(self._events), read_data(self._steps), 0, False, time.monotonic() - self._started)
        self.report = report_of(["<recording>"], run, [], None)
        self._folder.cleanup()
