"""Small programs under the program confirmer: one module, so one compilation."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("warp")

import warp

from warp_lint.confirm.live.internals import release
from warp_lint.confirm.options import ConfirmOptions
from warp_lint.confirm.program import ProgramReport, confirm_program

PROGRAM = Path(__file__).parent / "programs" / "many.py"


@pytest.fixture(autouse=True)
def _kernel_cache(pytestconfig: pytest.Config, monkeypatch: pytest.MonkeyPatch) -> None:
    assert pytestconfig.cache is not None
    monkeypatch.setenv("WARP_CACHE_PATH", str(pytestconfig.cache.mkdir("warp-kernels")))
    monkeypatch.chdir(PROGRAM.parent)


def run(capfd: pytest.CaptureFixture[str], *arguments: str, timeout: float = 120.0) -> tuple[ProgramReport, str]:
    report = confirm_program([PROGRAM.name, *arguments], [], None, ConfirmOptions(total_timeout=timeout))
    out, err = capfd.readouterr()
    assert "warp_lint" not in err, err
    return report, out


def line_of(text: str) -> int:
    lines = PROGRAM.read_text().splitlines()
    return next(i for i, line in enumerate(lines, 1) if text in line)


CAUSES = {
    "overwritten": ("ADJ301", "between=lambda y: wp.launch", "a.grad[1]", 288.0, 32.0),
    "cleared": ("ADJ303", "between=lambda y: y.zero_()", "a.grad[1]", 0.0, 32.0),
    "late": ("ADJ304", "after=lambda y: y.fill_", "a.grad[0]", 20.0, 4.0),
    "severed": ("ADJ404", "middle=zeros(2, grad=False)", "a.grad[1]", 0.0, 32.0),
    "in_place": ("ADJ101", "a[i] *= k[0]", "k.grad[0]", 9.0, 3.0),
    "loop": ("ADJ105", "p = p * a[j]", "a.grad[0]", 4.0, 2.0),
    "kept": ("ADJ402", "tape.backward(loss)", "a.grad[1]", 96.0, 32.0),
    "clipped": ("ADJ402", "tape.backward(loss)", "a.grad[0]", 5.0, 4.0),
    "loss_outside": ("ADJ411", "# after the tape", "a.grad[1]", 0.0, 4.0),
    "loss_of_host": ("ADJ408", "loss = array(float(", "a.grad[1]", 0.0, 32.0),
    "scanned": ("ADJ408", "wp.utils.array_scan", "a.grad[0]", 0.0, 4.0),
    "entered_again": ("ADJ403", "with tape:  # again", "a.grad[1]", 26.40474971, 8.80158324),
    "row_cleared": ("ADJ304", "x[1].zero_()", "x.grad[0, 1]", 0.0, 32.0),
    "host": ("ADJ408", "z.assign(y.numpy()", "a.grad[1]", 0.0, 8.0),
}


# Before these versions there is no scan of float64, and the adjoint of a copy keeps its destination's gradient.
SINCE = {"scanned": (1, 16), "copied_in_part": (1, 17)}


def skip_before(name: str) -> None:
    if release(warp.__version__) < SINCE.get(name, (0, 0)):
        pytest.skip("this Warp computes something else")


@pytest.mark.parametrize("name", CAUSES)
def test_wrong(name: str, capfd: pytest.CaptureFixture[str]) -> None:
    skip_before(name)
    code, text, where, ad, fd = CAUSES[name]
    report, _ = run(capfd, name)
    assert report.status == "wrong"
    assert report.exit_code == 0
    assert [(f.code, f.location.line) for f in report.findings] == [(code, line_of(text))]
    verdict = report.findings[0].verdict
    assert verdict is not None and str(verdict.status) == "confirmed"
    assert verdict.where == where
    assert verdict.ad == pytest.approx(ad, rel=1e-6)
    assert verdict.fd == pytest.approx(fd, rel=1e-4)


def test_not_finite(capfd: pytest.CaptureFixture[str]) -> None:
    report, _ = run(capfd, "singular")
    assert report.status == "wrong"
    assert [(f.code, f.location.line) for f in report.findings] == [("ADJ502", line_of("wp.sqrt(a[i])"))]
    assert "`a`" in report.findings[0].message or "sqrt" in report.findings[0].message


def test_a_seed_used_up(capfd: pytest.CaptureFixture[str]) -> None:
    report, _ = run(capfd, "spent")
    assert [(f.code, f.location.line) for f in report.findings] == [("ADJ410", line_of("y.grad = seed"))]
    verdict = report.findings[0].verdict
    assert verdict is not None and (verdict.ad, verdict.fd, verdict.where) == (0.0, 2.0, "seed[1]")
    report, _ = run(capfd, "refilled")
    assert (report.status, report.findings) == ("right", [])


def test_gradients_that_start_from_a_term_of_the_hosts_are_right(capfd: pytest.CaptureFixture[str]) -> None:
    report, _ = run(capfd, "regularised")
    assert report.status == "right" and not report.findings


@pytest.mark.parametrize("name", ["seeded", "copied_in_part", "assigned_first"])
def test_right(name: str, capfd: pytest.CaptureFixture[str]) -> None:
    skip_before(name)
    report, _ = run(capfd, name)
    assert report.status == "right", report.sentence
    assert not report.findings


def test_right_and_transparent(capfd: pytest.CaptureFixture[str]) -> None:
    report, out = run(capfd, "good")
    plain = subprocess.run([sys.executable, PROGRAM.name, "good"], capture_output=True, text=True, check=True)
    assert report.status == "right"
    assert report.sentence.startswith("gradients are right: 2 derivatives of 1 backward pass agree")
    assert not report.findings
    assert out.splitlines()[-1] == plain.stdout.splitlines()[-1] == "grad [ 4. 32.]"


@pytest.mark.parametrize(
    ("name", "told"),
    [
        (
            "twice",
            "observed: `total` is launched twice in a row with the same arguments, and `loss` gets both, its gradient "
            "too (many.py:{outputs=[loss])  # again}; launched at many.py:{^1})",
        ),
        (
            "rounds",
            "observed: the gradient of `a` is zero: `rounded` passes it through `round`, which is flat "
            "(many.py:{wp.round(}; launched at many.py:{wp.launch(rounded})",
        ),
    ],
)
def test_observations(name: str, told: str, capfd: pytest.CaptureFixture[str]) -> None:
    report, _ = run(capfd, name)
    assert (report.status, report.findings) == ("right", [])
    first, _, rest = told.partition("{")
    place, _, rest = rest.partition("}")
    second, _, rest = rest.partition("{")
    other, _, rest = rest.partition("}")
    line = line_of(place)
    other_line = line - 1 if other == "^1" else line_of(other)
    lines = "\n".join(report.observations).splitlines()
    assert [text for text in lines if text.startswith("observed")] == [f"{first}{line}{second}{other_line}{rest}"]


def test_nothing_observed(capfd: pytest.CaptureFixture[str]) -> None:
    report, _ = run(capfd, "good")
    assert not [text for text in "\n".join(report.observations).splitlines() if text.startswith("observed")]


@pytest.mark.parametrize(
    ("name", "ended", "status", "code"),
    [
        ("crash", "crashed (SIGSEGV)", "failed", -11),
        ("raises", "raised ValueError: no such thing", "failed", 1),
        ("leaves", "ended at once with exit code 7 (`os._exit` or `exec`)", "right", 7),
        ("exits", "ended with exit code 5", "right", 5),
        ("nothing", "ended with exit code 0", "failed", 0),
        ("threads", "ended with exit code 0", "right", 0),
    ],
)
def test_ends(name: str, ended: str, status: str, code: int, capfd: pytest.CaptureFixture[str]) -> None:
    report, _ = run(capfd, name)
    assert (report.ended, report.status, report.exit_code) == (ended, status, code)


def test_hangs(capfd: pytest.CaptureFixture[str]) -> None:
    run(capfd, "good")  # compiled before the clock runs
    report, _ = run(capfd, "hangs", timeout=8.0)
    assert report.ended == "was killed after 8 s"
    assert report.status == "right"


def test_needs_an_argument(capfd: pytest.CaptureFixture[str]) -> None:
    report, _ = run(capfd)
    assert report.status == "failed"
    assert report.sentence.endswith("it may need arguments: give them after `--`")


def test_no_such_file(capfd: pytest.CaptureFixture[str]) -> None:
    report = confirm_program(["absent.py"], [], None, ConfirmOptions())
    assert report.status == "failed"
    assert report.exit_code == 2
