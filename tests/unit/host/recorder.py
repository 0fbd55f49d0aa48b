"""Runs programs with their kernels switched off and writes down what their host code does.

    python recorder.py FILE… > record.json

One list per file: launches with the allocation each array argument lies in, copies, tape events. Only what
the program itself calls is recorded, not what Warp's library does on its behalf.
"""

import contextlib
import io
import json
import runpy
import sys
from pathlib import Path
from typing import Any

import warp as wp
from warp._src.codegen import StructInstance

HERE = str(Path(__file__).parents[3])
log: list[Any] = []
alive: list[Any] = []  # so that no address is used twice


def _own(file: str) -> bool:
    """Whether a file is the project's; an environment with Warp may lie below the checkout."""
    return file.startswith(HERE) and "site-packages" not in file


def by_user() -> bool:
    return _own(sys._getframe(2).f_code.co_filename)


def identity(array: Any) -> int:
    alive.append(array)
    while isinstance(getattr(array, "_ref", None), wp.array):
        array = array._ref
        alive.append(array)
    return int(array.ptr or 0)


def flatten(value: Any, name: str, found: list[Any]) -> None:
    if isinstance(value, wp.array):
        found.append((name, identity(value)))
    elif isinstance(value, StructInstance):
        for member in value._cls.vars:
            flatten(getattr(value, member), f"{name}.{member}", found)


def launch(kernel: Any, dim: Any = None, inputs: Any = (), outputs: Any = (), *rest: Any, **options: Any) -> Any:
    found: list[Any] = []
    for argument, value in zip(kernel.adj.args, [*inputs, *outputs], strict=False):
        flatten(value, argument.label, found)
    log.append(("launch", kernel.key.rpartition("__")[2], found))
    return None


def recording(function: Any, entry: Any) -> Any:
    def wrapper(*args: Any, **kwargs: Any) -> Any:
        result = function(*args, **kwargs)
        if by_user():
            log.append(entry(result, *args))
        return result

    return wrapper


class Gradients:
    def __getitem__(self, array: Any) -> Any:
        return array.grad


def backward(tape: Any, loss: Any = None, grads: Any = None) -> None:
    tape.gradients = Gradients()
    log.append(("backward", identity(loss) if loss is not None else None))


def prepare() -> None:
    wp.config.quiet = True
    wp.init()
    wp.launch = wp.launch_tiled = launch
    wp.copy = recording(wp.copy, lambda result, dest, src, *rest: ("copy", identity(dest), identity(src)))
    wp.clone = recording(wp.clone, lambda result, src, *rest: ("copy", identity(result), identity(src)))
    wp.array.zero_ = recording(wp.array.zero_, lambda result, array: ("zero_", identity(array)))
    wp.Tape.__enter__ = lambda tape: log.append(("enter",)) or tape
    wp.Tape.__exit__ = lambda tape, *error: log.append(("exit",))
    wp.Tape.backward = backward
    wp.Tape.zero = lambda tape: log.append(("zero",))
    wp.Tape.reset = lambda tape: log.append(("reset",))


def run(file: str) -> list[Any]:
    log.clear()
    known = set(sys.modules)
    sys.path.insert(0, str(Path(file).parent))
    sys.argv = [file]
    try:
        with contextlib.redirect_stdout(io.StringIO()):
            runpy.run_path(file, run_name="__main__")
    finally:
        sys.path.pop(0)
        for name in set(sys.modules) - known:
            if _own(str(getattr(sys.modules[name], "__file__", None) or "")):
                del sys.modules[name]
    return list(log)


if __name__ == "__main__":
    files = sys.argv[1:]
    prepare()
    json.dump({file: run(file) for file in files}, sys.stdout)
