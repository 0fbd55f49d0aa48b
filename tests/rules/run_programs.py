"""Run many small Warp programs: Warp is imported once, and each program runs in a fork of that process.

Usage: python run_programs.py PATH... ; prints one JSON object, path -> {"code": int, "out": str, "err": str}.
Compiled kernels stay in Warp's own cache, so that only the first run compiles.
"""

from __future__ import annotations

import contextlib
import io
import json
import multiprocessing
import os
import runpy
import subprocess
import sys
import traceback
from pathlib import Path
from typing import TypedDict

TIMEOUT_SECONDS = 1200


class Output(TypedDict):
    """What one program printed, and its exit code."""

    code: int
    out: str
    err: str


def run(paths: list[Path]) -> dict[Path, Output]:
    """Run the programs in a process of their own and return what each of them printed."""
    done = subprocess.run(
        [sys.executable, __file__, *map(str, paths)],
        capture_output=True,
        text=True,
        timeout=TIMEOUT_SECONDS,
        check=False,
    )
    if done.returncode != 0:
        raise RuntimeError(done.stderr[-4000:])
    return {Path(path): output for path, output in json.loads(done.stdout.splitlines()[-1]).items()}


def _run_one(path: str) -> tuple[str, Output]:
    out, err, code = io.StringIO(), io.StringIO(), 0
    os.chdir(Path(path).parent)
    sys.path.insert(0, str(Path(path).parent))
    sys.argv = [path]
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        try:
            runpy.run_path(path, run_name="__main__")
        except SystemExit as stop:
            code = stop.code if isinstance(stop.code, int) else 1
        except BaseException:
            traceback.print_exc()
            code = 1
    return path, Output(code=code, out=out.getvalue(), err=err.getvalue())


def main() -> None:
    """Run the programs named on the command line, two at a time."""
    import warp

    with contextlib.redirect_stdout(io.StringIO()):
        warp.init()
    with multiprocessing.get_context("fork").Pool(2, maxtasksperchild=1) as pool:
        outputs = dict(pool.imap_unordered(_run_one, sys.argv[1:], chunksize=1))
    print(json.dumps(outputs))


if __name__ == "__main__":
    main()
