"""CPU time against `ast.parse` and flake8, and memory, on the installed Warp package.

A plain run measures Warp's examples; `WARP_LINT_PERFORMANCE=full` the whole package. Run with `-s` to see
the numbers.
"""

from __future__ import annotations

import importlib.util
import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

pytest.importorskip("flake8")
resource = pytest.importorskip("resource")

FULL = os.environ.get("WARP_LINT_PERFORMANCE") == "full"
# What is aimed at is 0.7 of flake8's time, for the whole package; the examples alone have a larger share of kernels and
# tapes, and cost more. Machines differ and share their processors.
CEILING = 0.7 if FULL else 2.0
MEMORY = 1e9

PARSE = """
import ast, gc, sys, warnings
gc.disable()
warnings.simplefilter("ignore")
for name in sys.stdin.read().splitlines():
    with open(name, "rb") as file:
        ast.parse(file.read())
"""

# flake8 runs every plug-in that is installed, whatever it is told to select; ours must not count as its time.
PLAIN_FLAKE8 = """
import importlib.metadata, sys
every = importlib.metadata.distributions
importlib.metadata.distributions = lambda **context: (
    found for found in every(**context) if found.metadata["Name"] != "warp-lint"
)
from flake8.main.cli import main
sys.exit(main(sys.argv[1:]))
"""


@dataclass
class Cost:
    """CPU time in seconds, and the largest resident size in bytes."""

    seconds: float
    memory: float


def cost(*command: str, stdin: str = "") -> Cost:
    """Run a command in a process that measures it."""
    probe = (
        "import resource, subprocess, sys\n"
        "done = subprocess.run(sys.argv[1:], stdin=sys.stdin, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)\n"
        "used = resource.getrusage(resource.RUSAGE_CHILDREN)\n"
        "sys.stderr.buffer.write(done.stderr[-2000:])\n"
        "print(done.returncode, used.ru_utime + used.ru_stime, used.ru_maxrss)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", probe, *command], input=stdin, capture_output=True, text=True, check=True, timeout=1800
    )
    code, seconds, size = done.stdout.split()
    assert int(code) in (0, 1), done.stderr
    return Cost(float(seconds), float(size) * (1 if sys.platform == "darwin" else 1024))


@pytest.fixture(scope="module")
def package() -> Path:
    spec = importlib.util.find_spec("warp")
    if spec is None or not spec.submodule_search_locations:
        pytest.skip("Warp is not installed")
    folder = Path(next(iter(spec.submodule_search_locations)))
    return folder if FULL else folder / "examples"


def test_cpu_time_and_memory(package: Path, capsys: pytest.CaptureFixture[str]) -> None:
    files = sorted(package.rglob("*.py"))
    lines = sum(file.read_bytes().count(b"\n") for file in files)
    ours = cost(sys.executable, "-m", "warp_lint", "-j1", "--no-cache", "--fail-on", "never", str(package))
    parse = cost(sys.executable, "-c", PARSE, stdin="\n".join(map(str, files)))
    plain = "--select=E,F,W,C90"
    flake8 = cost(sys.executable, "-c", PLAIN_FLAKE8, "--isolated", "-j1", plain, "--exit-zero", str(package))
    with capsys.disabled():
        print(
            f"\n{len(files)} files, {lines} lines of Warp: warp-lint {ours.seconds:.1f} s CPU, "
            f"{ours.memory / 1e6:.0f} MB; {ours.seconds / parse.seconds:.1f} times ast.parse, "
            f"{ours.seconds / flake8.seconds:.2f} times flake8"
        )
    assert ours.seconds < CEILING * flake8.seconds
    assert ours.memory < MEMORY


def test_files_without_warp_cost_flake8_next_to_nothing(tmp_path: Path) -> None:
    """The plug-in's import and its look at each file, in the process that flake8 runs."""
    script = (
        "import time, sys, ast\n"
        "lines = ['x = 1\\n'] * 300\n"
        "tree = ast.parse(''.join(lines))\n"
        "start = time.process_time()\n"
        "from warp_lint.flake8_plugin import Plugin\n"
        "for number in range(20):\n"
        "    list(Plugin(tree, 'a.py', lines).run())\n"
        "print(time.process_time() - start)\n"
    )
    times = [float(subprocess.check_output([sys.executable, "-c", script])) for _ in range(5)]
    assert min(times) < 0.010
