"""Programs that make it hard for the program confirmer: a clear verdict each, and never a traceback of ours."""

from __future__ import annotations

import subprocess
import sys
from importlib.metadata import version
from pathlib import Path

import pytest

pytest.importorskip("warp")

from warp_lint.confirm.options import ConfirmOptions
from warp_lint.confirm.program import ProgramReport, confirm_program

PROGRAM = Path(__file__).parent / "programs" / "hostile.py"
VERSION = tuple(int(part) for part in version("warp-lang").split(".")[:2])
GRAPHS = pytest.mark.skipif(VERSION < (1, 16), reason="this Warp captures no backward passes on the CPU")
POSIX = pytest.mark.skipif(sys.platform == "win32", reason="POSIX only")


@pytest.fixture(autouse=True)
def _kernel_cache(pytestconfig: pytest.Config, monkeypatch: pytest.MonkeyPatch) -> None:
    assert pytestconfig.cache is not None
    monkeypatch.setenv("WARP_CACHE_PATH", str(pytestconfig.cache.mkdir("warp-kernels")))
    monkeypatch.chdir(PROGRAM.parent)


def run(capfd: pytest.CaptureFixture[str], name: str, timeout: float = 120.0) -> tuple[ProgramReport, str, str]:
    report = confirm_program([PROGRAM.name, name], [], None, ConfirmOptions(total_timeout=timeout))
    out, err = capfd.readouterr()
    assert "warp_lint" not in err, err
    assert not [note for note in report.notes if "trouble" in note]
    return report, out, err


@POSIX
@pytest.mark.parametrize(
    ("name", "status", "ended", "passes"),
    [
        ("gpu", "failed", "raised ValueError: Invalid device identifier: cuda:0", 0),
        ("bounds", "right", "crashed (SIGSEGV)", 1),
        ("prints", "right", "ended with exit code 0", 1),
        ("late_error", "right", "ended with exit code 0", 1),
        ("pool", "right", "ended with exit code 0", 1),
        ("spawned", "right", "ended with exit code 0", 1),
        ("reads", "right", "ended with exit code 0", 1),
        ("only_thread", "right", "ended with exit code 0", 1),
        ("interrupted", "right", "was ended by a signal (SIGINT)", 1),
        ("terminated", "right", "was ended by a signal (SIGTERM)", 1),
        ("forked", "right", "ended with exit code 0", 1),
        ("again", "right", "ended at once with exit code 0 (`os._exit` or `exec`)", 1),
        ("closed", "right", "ended with exit code 0", 2),
        ("every_handle", "right", "ended with exit code 0", 2),
        ("moved", "right", "ended with exit code 0", 1),
        ("recursion", "right", "raised RecursionError: maximum recursion depth exceeded", 1),
        ("reloaded", "right", "ended with exit code 0", 1),
        ("hook", "right", "ended with exit code 1", 1),
        ("ignores_children", "right", "ended with exit code 0", 2),
        ("waits", "right", "ended with exit code 0", 2),
        ("shallow", "right", "ended with exit code 0", 2),
        ("workers", "right", "ended with exit code 0", 3),
        pytest.param("graph", "right", "ended with exit code 0", 2, marks=GRAPHS),
    ],
)
def test_ends(
    name: str, status: str, ended: str, passes: int, capfd: pytest.CaptureFixture[str], request: pytest.FixtureRequest
) -> None:
    report, _, _ = run(capfd, name)
    assert (report.status, report.ended, len(report.backwards)) == (status, ended, passes)
    assert report.findings == []


def test_needs_a_gpu(capfd: pytest.CaptureFixture[str]) -> None:
    report, _, err = run(capfd, "gpu")
    assert report.sentence.endswith("before any backward pass; it seems to need a GPU")
    # The program's own traceback, as it would be without the recorder.
    plain = subprocess.run([sys.executable, PROGRAM.name, "gpu"], capture_output=True, text=True, check=False)
    assert err.splitlines()[-1] == plain.stderr.splitlines()[-1]
    assert [line for line in err.splitlines() if "File" in line] == [
        line for line in plain.stderr.splitlines() if "File" in line
    ]


@POSIX
def test_tracebacks_of_threads(capfd: pytest.CaptureFixture[str]) -> None:
    report, _, err = run(capfd, "thread_fails")
    assert (report.status, report.ended) == ("right", "ended with exit code 0")
    assert "Exception in thread worker:" in err.splitlines()


@GRAPHS
def test_backward_in_a_graph(capfd: pytest.CaptureFixture[str]) -> None:
    report, out, _ = run(capfd, "wrong_graph")
    line = next(i for i, text in enumerate(PROGRAM.read_text().splitlines(), 1) if "a.fill_(3.0)" in text)
    assert [(f.code, f.location.line) for f in report.findings] == [("ADJ304", line)]
    verdict = report.findings[0].verdict
    assert verdict is not None and (verdict.ad, verdict.fd) == (6.0, pytest.approx(2.0, rel=1e-6))
    assert out.splitlines()[-1] == "grad [12. 12.]"  # as it is without the recorder


@POSIX
def test_reason_is_told_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "crash.py").write_text("import warp as wp\n\nwp.init()\nraise ValueError('no such ' + 'thing')\n")
    command = [sys.executable, "-m", "warp_lint", "--confirm", "crash.py"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    told = [line for line in (done.stdout + done.stderr).splitlines() if "no such thing" in line]
    assert done.returncode == 3
    assert told == ["crash.py: the program raised ValueError: no such thing before any backward pass",
                    "ValueError: no such thing"]  # fmt: skip
