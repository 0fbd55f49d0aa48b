from __future__ import annotations

import json
from dataclasses import replace

import pytest

from warp_lint.findings import Finding, LintError, Location, Note, Severity, Status, Verdict
from warp_lint.report import json as json_report
from warp_lint.report import text
from warp_lint.report.model import Report

LINES = ["import warp as wp", "    a[i] *= b[i]  # å", "\tx = y", "漢字 = f(漢字)", "esc = '\x1b[31m'", "z" * 400]
FINDING = Finding(
    code="ADJ101",
    name="inplace-multiply",
    severity=Severity.ERROR,
    location=Location("sim.py", 2, 5, 2, 17),
    message="`a` is multiplied in place, but the gradient of `b` needs its old value",
    help="write to another array",
    notes=(Note(Location("sim.py", 1, 1, 1, 7), "needed here"),),
    fingerprint="0123456789abcdef",
)


def report(*findings, **changes):
    fields = {
        "findings": findings,
        "errors": (),
        "warp_version": "1.19.0",
        "files": 2,
        "lines": {"sim.py": LINES}.get,
    }
    return Report(**(fields | changes))


def test_text_of_a_finding():
    assert text.render(report(FINDING)) == (
        "sim.py:2:5: error[ADJ101] inplace-multiply: "
        "`a` is multiplied in place, but the gradient of `b` needs its old value\n"
        "    2 |     a[i] *= b[i]  # å\n"
        "      |     ^^^^^^^^^^^^\n"
        "  note: sim.py:1:1: needed here\n"
        "    1 | import warp as wp\n"
        "      | ^^^^^^\n"
        "  help: write to another array\n"
        "\n"
        "SUMMARY: warp-lint: 1 error in 2 files\n"
    )


def at(line, column, end_column, path="sim.py"):
    return replace(FINDING, location=Location(path, line, column, line, end_column), notes=(), help="")


@pytest.mark.parametrize(
    ("place", "shown", "caret"),
    [
        ((3, 2, 3), "    x = y", "    ^"),
        ((4, 8, 10), "漢字 = f(漢字)", " " * 9 + "^^^^"),
        ((5, 1, 4), r"esc = '\x1b[31m'", "^^^"),
        ((2, 99, 105), "    a[i] *= b[i]  # å", " " * 21 + "^"),
    ],
)
def test_carets_under_tabs_wide_and_control_characters(place, shown, caret):
    lines = text.render(report(at(*place))).splitlines()
    assert lines[1] == f"    {place[0]} | {shown}"
    assert lines[2] == f"      | {caret}"


def test_long_lines_are_cut_around_the_caret():
    lines = text.render(report(at(6, 200, 210))).splitlines()
    assert lines[1].startswith("    6 | …zz") and lines[1].endswith("zz…") and len(lines[1]) < 135
    assert lines[2] == "      | " + " " * 31 + "^" * 10


def test_a_path_without_source_shows_none():
    assert text.render(report(at(3, 1, 2, "gone.py"))).splitlines()[1] == ""
    assert text.render(report(at(99, 1, 2))).splitlines()[1] == ""


def test_a_finding_over_several_lines_is_marked_to_the_end_of_its_first():
    finding = replace(at(2, 5, 6), location=Location("sim.py", 2, 5, 4, 3))
    assert text.render(report(finding)).splitlines()[2] == "      |     " + "^" * 17


@pytest.mark.parametrize(
    ("verdict", "line"),
    [
        (
            Verdict(Status.CONFIRMED, "", "kernel, float64", 3.0, 12.0, 0.75, "a[3]"),
            "  confirmed: autodiff 3, finite differences 12, relative error 0.75 at a[3] (kernel, float64)",
        ),
        (Verdict(Status.INCONCLUSIVE, "needs a GPU"), "  inconclusive: needs a GPU"),
        (
            Verdict(Status.CONFIRMED, "not finite", "", float("nan"), 1e-30),
            "  confirmed: autodiff nan, finite differences 1e-30; not finite",
        ),
        (Verdict(Status.UNTESTED), "  untested:"),
    ],
)
def test_verdicts(verdict, line):
    lines = text.render(report(FINDING.with_verdict(verdict))).splitlines()
    assert lines[-3] == line
    assert lines[-1] == f"SUMMARY: warp-lint: 1 error (1 {verdict.status}) in 2 files"


@pytest.mark.parametrize(
    ("findings", "errors", "files", "line"),
    [
        ((), (), 1, "no findings in 1 file"),
        ((FINDING, replace(FINDING, severity=Severity.WARNING)), (), 3, "1 error, 1 warning in 3 files"),
        ((replace(FINDING, severity=Severity.INFO),) * 2, (), 3, "2 info in 3 files"),
        ((), (LintError("a.py", 1, 1, "bad"),), 3, "no findings in 3 files; 1 input could not be analysed"),
    ],
)
def test_the_last_line_counts(findings, errors, files, line):
    rendered = text.render(report(*findings, errors=errors, files=files))
    assert rendered.splitlines()[-1] == f"SUMMARY: warp-lint: {line}"


def test_errors():
    errors = (
        LintError("gone.py", 1, 1, "can't be read: Permission denied"),
        LintError("sim.py", 2, 8, "invalid syntax", "ADJ901"),
    )
    assert text.render(report(errors=errors)).splitlines()[:5] == [
        "gone.py:1:1: error: can't be read: Permission denied",
        "",
        "sim.py:2:8: ADJ901 syntax-error: invalid syntax",
        "    2 |     a[i] *= b[i]  # å",
        "      |        ^",
    ]


def test_colour_only_on_request():
    assert "\x1b" not in text.render(report(FINDING))
    assert "\x1b[1;31merror[ADJ101]\x1b[0m" in text.render(report(FINDING, color=True))


def test_json_is_the_contract():
    verdict = Verdict(Status.CONFIRMED, "why", "how", float("nan"), float("-inf"), 2.5, "a[0]")
    error = LintError("bad.py", 3, 4, "invalid syntax", "ADJ901")
    document = json.loads(json_report.render(report(FINDING.with_verdict(verdict), FINDING, errors=(error,))))
    assert list(document) == ["version", "warp_version", "findings", "errors"]
    assert document["warp_version"] == "1.19.0"
    expected = {
        "code": "ADJ101",
        "name": "inplace-multiply",
        "severity": "error",
        "path": "sim.py",
        "line": 2,
        "column": 5,
        "end_line": 2,
        "end_column": 17,
        "message": FINDING.message,
        "help": "write to another array",
        "notes": [{"path": "sim.py", "line": 1, "column": 1, "message": "needed here"}],
        "fingerprint": "0123456789abcdef",
        "verdict": {
            "status": "confirmed",
            "reason": "why",
            "method": "how",
            "ad": "nan",
            "fd": "-inf",
            "error": 2.5,
            "where": "a[0]",
        },
        "fix": None,
    }
    assert document["findings"] == [expected, expected | {"verdict": None}]
    assert document["errors"] == [
        {"code": "ADJ901", "path": "bad.py", "line": 3, "column": 4, "message": "invalid syntax"}
    ]


def test_json_of_lone_surrogates_is_plain_ascii():
    rendered = json_report.render(report(replace(FINDING, message="\udc80é")))
    assert rendered.isascii() and json.loads(rendered)["findings"][0]["message"] == "\udc80é"
