"""Workers end with the process that started them, however that ended."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

pytestmark = pytest.mark.skipif(os.name != "posix", reason="needs signals")

PARENT = """
import subprocess, sys
child = subprocess.Popen([sys.executable, "-c", '''
import time
from warp_lint.confirm.process import end_with_parent
end_with_parent()
print("up", flush=True)
time.sleep(60)
'''], stdout=subprocess.PIPE, start_new_session=True)
child.stdout.readline()
print(child.pid, flush=True)
time = __import__("time")
time.sleep(60)
"""


def test_a_worker_ends_with_a_killed_parent() -> None:
    parent = subprocess.Popen([sys.executable, "-c", PARENT], stdout=subprocess.PIPE, text=True)
    assert parent.stdout is not None
    child = int(parent.stdout.readline())
    parent.kill()
    parent.wait()
    parent.stdout.close()
    deadline = time.monotonic() + 30.0
    while time.monotonic() < deadline and _runs(child):
        time.sleep(0.1)
    assert not _runs(child)


def _runs(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    stat = Path(f"/proc/{pid}/stat")
    return not stat.exists() or stat.read_text().rpartition(")")[2].split()[0] != "Z"


def test_a_terminated_run_takes_its_worker_along(tmp_path: Path) -> None:
    pytest.importorskip("warp")
    marker = tmp_path / "pid"
    (tmp_path / "hang.py").write_text(
        f"import os, time\nimport warp as wp\nopen({str(marker)!r}, 'w').write(str(os.getpid()))\ntime.sleep(120)\n"
    )
    command = [sys.executable, "-m", "warp_lint", "--confirm", "hang.py", "--no-cache"]
    process = subprocess.Popen(command, cwd=tmp_path, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    deadline = time.monotonic() + 100.0
    while not (marker.exists() and marker.read_text()) and time.monotonic() < deadline:
        time.sleep(0.1)
    pid = int(marker.read_text())
    process.send_signal(signal.SIGTERM)
    assert process.wait(60) == 128 + signal.SIGTERM
    assert not _runs(pid)
