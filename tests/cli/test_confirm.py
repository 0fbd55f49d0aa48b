"""`--confirm` from the command line: what is run, with which options, and what the exit code says.

The confirmers are stand-ins here, but for the last test.
"""

from __future__ import annotations

import json
import sys
from dataclasses import replace
from types import SimpleNamespace

import pytest

from warp_lint import confirming
from warp_lint.findings import Finding, Location, Severity, Status, Subject, Verdict

HEAD = "import warp as wp\n"
PROVEN = Verdict(Status.CONFIRMED, "", "stand-in", 1.0, 2.0, 0.5, "x[0]")


@pytest.fixture
def confirmers(monkeypatch):
    """Records what is asked of the confirmers; `verdict` and `status` set what they answer."""
    seen = SimpleNamespace(kernels=[], programs=[], options=[], verdict=PROVEN, status="wrong", extra=[])

    def confirm_kernels(findings, project, options):
        seen.kernels.append([finding.code for finding in findings])
        seen.options.append(options)
        subjects = [f.with_verdict(seen.verdict) if f.subject else f for f in findings]
        return [*subjects, *seen.extra]

    def confirm_program(argv, findings, project, options, related=None):
        seen.programs.append(list(argv))
        seen.options.append(options)
        ran = seen.status != "failed"
        judged = [f.with_verdict(seen.verdict) for f in findings] if ran else list(findings)
        return SimpleNamespace(
            findings=[*judged, *seen.extra],
            observations=("gradients are stand-ins",),
            ran=ran,
            reason="" if ran else "the program never imported Warp",
            to_json=lambda: {"program": list(argv), "nan": float("nan")},
        )

    monkeypatch.setitem(sys.modules, "warp_lint.confirm.kernels", SimpleNamespace(confirm_kernels=confirm_kernels))
    monkeypatch.setitem(sys.modules, "warp_lint.confirm.program", SimpleNamespace(confirm_program=confirm_program))
    monkeypatch.setattr(confirming.importlib.util, "find_spec", lambda name: object())
    return seen


@pytest.fixture
def with_subjects(planted, monkeypatch):
    """Planted findings of family 1 are about a kernel."""
    from warp_lint import analysis

    plant = analysis.analyse

    def analyse(*arguments):
        outcome = plant(*arguments)
        outcome.findings = [
            replace(f, subject=Subject("kernel", "k", f.location.path, 1)) if f.code < "ADJ3" else f
            for f in outcome.findings
        ]
        return outcome

    monkeypatch.setattr(analysis, "analyse", analyse)


pytestmark = pytest.mark.usefixtures("with_subjects")
PROGRAM = HEAD + "a = 1  # PLANT ADJ101\nb = 2  # PLANT ADJ301\nprint(a)\n"
LIBRARY = HEAD + "def f():\n    a = 1  # PLANT ADJ101\n"


def verdicts(out):
    return [(f["code"], f["severity"], (f["verdict"] or {}).get("status")) for f in json.loads(out)["findings"]]


def test_a_program_is_run_and_its_kernels_alone(write, run, confirmers):
    write("a.py", PROGRAM)
    code, out, err = run("--confirm", "a.py", "--format", "json")
    assert code == 1
    assert verdicts(out) == [("ADJ101", "error", "confirmed"), ("ADJ301", "error", "confirmed")]
    assert confirmers.kernels == [["ADJ101", "ADJ301"]] and confirmers.programs == [["a.py"]]
    assert json.loads(out)["program"] == {"program": ["a.py"], "nan": "nan"}
    assert err.splitlines() == [
        f"warp-lint: --confirm executes kernels of {confirming.Path.cwd()}, each alone",
        "warp-lint: --confirm executes `a.py`",
    ]
    # Standard output belongs to the report.
    assert confirmers.options[0].output is not None
    code, out, _ = run("a.py", "--confirm")
    assert "gradients are stand-ins\nSUMMARY: warp-lint: 2 errors (2 confirmed) in 1 file" in out
    assert confirmers.options[-1].output is None


@pytest.mark.parametrize(
    ("arguments", "programs"),
    [
        (["--confirm", "a.py", "--", "--steps", "4", "--", "-m"], [["a.py", "--steps", "4", "--", "-m"]]),
        (["a.py", "--confirm", "-j1"], [["a.py"]]),
        (["--confirm=all", "a.py"], [["a.py"]]),
        (["--confirm=kernels", "a.py"], []),
        (["--confirm", "lib.py"], []),
        (["--confirm", "lib.py", "--"], []),
        (["--confirm", "lib.py", "--", "x"], [["lib.py", "x"]]),
        (["--confirm", "a.py", "lib.py"], []),
        (["--confirm", "."], []),
        (["--confirm"], []),
        (["--confirm", "-m", "pkg.train", "--", "-v"], [["-m", "pkg.train", "-v"]]),
        (["--confirm", "-m", "pkg"], [["-m", "pkg"]]),
    ],
)
def test_which_program_is_run(write, run, confirmers, arguments, programs):
    write("a.py", PROGRAM)
    write("lib.py", LIBRARY)
    write("pkg/train.py", PROGRAM)
    write("pkg/__main__.py", PROGRAM)
    run(*arguments)
    assert confirmers.programs == programs


def test_the_configured_program(write, run, confirmers):
    write("pyproject.toml", '[tool.warp-lint.confirm]\nrun = ["a.py", "-n", "2"]\ntimeout = 5\nbackwards = 3\n')
    write("a.py", PROGRAM)
    write("b.py", PROGRAM)
    run("--confirm")
    run("--confirm", "b.py", "--confirm-timeout", "7", "--confirm-backwards", "1", "--confirm-stop")
    assert confirmers.programs == [["a.py", "-n", "2"], ["b.py"]]
    first, last = confirmers.options[0], confirmers.options[-1]
    assert (first.total_timeout, first.backwards, first.stop, first.mode) == (5, 3, False, "findings")
    assert (last.total_timeout, last.backwards, last.stop) == (7, 1, True)
    run("--confirm=all")
    assert confirmers.options[-1].mode == "all"


@pytest.mark.parametrize("value", ["0", "-1", "soon", "nan", "inf"])
def test_limits_are_positive_numbers(write, run, confirmers, value):
    write("a.py", PROGRAM)
    code, _, err = run("--confirm", "a.py", f"--confirm-timeout={value}")
    assert code == 2 and f"--confirm-timeout {value}: must be a positive number" in err


@pytest.mark.parametrize(
    ("status", "fail_on", "code"),
    [
        (Status.CONFIRMED, "error", 1),
        (Status.CONFIRMED, "confirmed", 1),
        (Status.REFUTED, "error", 0),
        (Status.REFUTED, "confirmed", 0),
        (Status.INCONCLUSIVE, "error", 1),
        (Status.INCONCLUSIVE, "confirmed", 0),
    ],
)
def test_verdicts_and_exit_codes(write, run, confirmers, status, fail_on, code):
    write("a.py", LIBRARY)
    confirmers.verdict = Verdict(status, "because")
    assert run("--confirm", "a.py", "--fail-on", fail_on)[0] == code


def test_nothing_could_be_run(write, run, confirmers, monkeypatch):
    write("a.py", HEAD + "b = 2  # PLANT ADJ301\nprint(b)\n")
    confirmers.status = "failed"
    code, out, err = run("--confirm", "a.py", "--format", "json")
    assert code == 3 and "could not run anything: the program never imported Warp" in err
    assert verdicts(out) == [("ADJ301", "error", "untested")]
    code, _, err = run("--confirm", ".")
    assert code == 3 and "no program is named" in err
    monkeypatch.setattr(confirming.importlib.util, "find_spec", lambda name: None)
    code, out, err = run("--confirm", "a.py")
    assert code == 3 and "Warp is not installed" in err and "untested: Warp is not installed" in out


def test_nothing_to_prove_is_no_failure(write, run, confirmers):
    write("a.py", HEAD + "def f(): pass\n")
    assert run("--confirm", "a.py") == (0, "SUMMARY: warp-lint: no findings in 1 file\n", "")


def test_what_only_a_run_shows_is_selected_and_suppressed_like_the_rest(write, run, confirmers):
    place = Location("a.py", 4, 1, 4, 9)
    confirmers.extra = [Finding("ADJ402", "missing-zero", Severity.ERROR, place, "shown by the run", verdict=PROVEN)]
    write("a.py", PROGRAM)
    # Both confirmers say it: one finding.
    assert verdicts(run("--confirm", "a.py", "--format=json")[1])[2:] == [("ADJ402", "error", "confirmed")]
    assert verdicts(run("--confirm", "a.py", "--format=json", "--ignore", "ADJ402")[1])[2:] == []
    write("a.py", PROGRAM.replace("print(a)", "print(a)  # noqa: ADJ402"))
    assert "ADJ402" not in [code for code, _, _ in verdicts(run("--confirm", "a.py", "--format=json")[1])]


def test_what_a_program_proves_is_an_error(write, run, confirmers):
    write("a.py", HEAD + "a = 1  # PLANTwarning ADJ301\nb = 1  # PLANTwarning ADJ409\nprint(a)\n")
    _, out, _ = run("--confirm", "a.py", "--format=json")
    assert verdicts(out) == [("ADJ301", "error", "confirmed"), ("ADJ409", "warning", "confirmed")]


def test_each_format_shows_the_program(tmp_path, monkeypatch, capfd):
    pytest.importorskip("warp")
    from pathlib import Path

    from warp_lint import cli

    monkeypatch.chdir(Path(__file__).parents[2] / "rules" / "ADJ301-ping-pong")
    page, data = tmp_path / "page.html", tmp_path / "data.json"
    assert cli.main(["--confirm", "bad.py", "--format", "html", "--output-file", str(page)]) == 1
    assert cli.main(["--confirm", "bad.py", "--format", "json", "--output-file", str(data)]) == 1
    program = json.loads(data.read_text())["program"]
    assert program["status"] == "wrong" and program["proofs"] and program["tape"]["columns"]
    text = page.read_text()
    assert program["sentence"] in text and "OVERWRITTEN" in text
    assert "error: ADJ301 ping-pong" in text and "1 error (1 confirmed) in 1 file" in text
    assert text.count("<svg") == 4  # the tape, its names, and a plot for each of two gradients
    capfd.readouterr()
