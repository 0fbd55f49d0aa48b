"""Work in a forked copy of this process: it sees everything, and hands back one picklable result."""

from __future__ import annotations

import os
import pickle
import sys
import warnings
from collections.abc import Callable
from typing import Generic, TypeVar

T = TypeVar("T")


def can_fork() -> bool:
    """Forking is safe where only this program's own threads run, and only POSIX systems but macOS do it well."""
    return hasattr(os, "fork") and sys.platform != "darwin"


class Aside(Generic[T]):
    """`function()` in a child process. If anything goes wrong there, `result` computes it here."""

    def __init__(self, function: Callable[[], T]) -> None:
        self._function = function
        self._read, write = os.pipe()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of threads: the only other one waits for this one
            self._child = os.fork()
        if self._child == 0:
            code = 1
            try:
                os.close(self._read)
                data = pickle.dumps(function(), pickle.HIGHEST_PROTOCOL)
                with os.fdopen(write, "wb") as pipe:
                    pipe.write(data)
                code = 0
            finally:
                os._exit(code)
        os.close(write)

    def result(self) -> T:
        """Wait for the result."""
        with os.fdopen(self._read, "rb") as pipe:
            data = pipe.read()
        _, status = os.waitpid(self._child, 0)
        if status != 0:
            return self._function()
        value: T = pickle.loads(data)
        return value
