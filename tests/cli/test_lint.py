"""The command line over planted findings: selection, exit codes, configuration, suppression, input."""

from __future__ import annotations

import io
import json
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.usefixtures("planted")

HEAD = "import warp as wp\n"
SOURCE = HEAD + "a = 1  # PLANT ADJ101\nb = 2  # PLANT ADJ409\nc = 3  # PLANT ADJ503\n"


def test_findings_in_order(write, lint):
    write("b.py", HEAD + "x = 1  # PLANT ADJ104 PLANT ADJ101\n")
    write("a/c.py", HEAD + "\nx = 1  # PLANT ADJ301\n")
    write("a.py", HEAD + "x = 1  # PLANT ADJ102\ny = 2  # PLANT ADJ101\n")
    expected = [
        ("a.py", 2, "ADJ102"),
        ("a.py", 3, "ADJ101"),
        ("a/c.py", 3, "ADJ301"),
        ("b.py", 2, "ADJ101"),
        ("b.py", 2, "ADJ104"),
    ]
    assert lint() == (1, expected)
    assert lint("b.py", "a", "a.py", "-j1") == (1, expected)
    assert lint("a.py", "a.py", "./a/../a.py") == (1, expected[:2])


def test_paths_outside_the_working_folder_are_absolute(write, lint, tmp_path, monkeypatch):
    write("other/a.py", SOURCE)
    write("here/b.py", SOURCE)
    monkeypatch.chdir(tmp_path / "here")
    _, found = lint("../other", ".", "--select", "ADJ101")
    assert found == [((tmp_path / "other/a.py").as_posix(), 2, "ADJ101"), ("b.py", 2, "ADJ101")]


@pytest.mark.parametrize(
    ("options", "codes"),
    [
        ([], ["ADJ101", "ADJ409"]),
        (["--select", "ADJ1"], ["ADJ101"]),
        (["--select=ADJ4,ADJ5"], ["ADJ409", "ADJ503"]),
        (["--select", "truncated-horizon", "--select", "ADJ101"], ["ADJ101", "ADJ409"]),
        (["--extend-select", "ADJ503"], ["ADJ101", "ADJ409", "ADJ503"]),
        (["--ignore", "ADJ1"], ["ADJ409"]),
        (["--extend-ignore", "ADJ4"], ["ADJ101"]),
        (["--select", "ADJ", "--ignore", "ADJ101"], ["ADJ409", "ADJ503"]),
    ],
)
def test_selection(write, lint, options, codes):
    write("a.py", SOURCE)
    assert [code for _, _, code in lint("a.py", *options)[1]] == codes


@pytest.mark.parametrize(
    ("options", "code"),
    [
        ([], 1),
        (["--fail-on", "never"], 0),
        (["--fail-on", "confirmed"], 0),
        (["--ignore", "ADJ101"], 0),
        (["--ignore", "ADJ101", "--fail-on", "warning"], 1),
        (["--select", "ADJ503"], 0),
        (["--select", "ADJ503", "--fail-on=info"], 1),
    ],
)
def test_exit_codes(write, lint, options, code):
    write("a.py", SOURCE)
    assert lint("a.py", *options)[0] == code


def test_nothing_to_report(write, run):
    write("a.py", HEAD)
    write("b.py", "x = 1  # PLANT ADJ101: no use of the word that matters\n")
    assert run() == (0, "SUMMARY: warp-lint: no findings in 2 files\n", "")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--select", "ADJ777"], "--select: unknown rule `ADJ777`; did you mean"),
        (["--ignore", "ping-pon"], "--ignore: unknown rule `ping-pon`; did you mean `ping-pong`?"),
        (["--slect", "ADJ1"], "unrecognized arguments: --slect; did you mean `--select`?"),
        (["--sel", "ADJ1"], "unrecognized arguments: --sel"),
        (["--format", "xml"], "invalid choice: 'xml'"),
        (["--fail-on", "eror"], "invalid choice: 'eror'"),
        (["--target-warp", "new"], '--target-warp: "new" is no version'),
        (["-j", "0"], "-j 0: must be a positive number"),
        (["-j", "two"], "-j two: must be"),
        (["--stdin-filename", "x.py"], "--stdin-filename needs `-`"),
        (["--confirm=some"], "--confirm=some: must be `findings`, `kernels` or `all`"),
        (
            ["--confirm", "kernels", "a.py"],
            "--confirm kernels: there is no such file; did you mean",
        ),
        (["--confirm-timeout", "3"], "--confirm-timeout needs --confirm"),
        (["-m", "pkg"], "-m needs --confirm"),
        (["--confirm", "-m", "no.such"], "-m no.such: no such module"),
        (["--output-file", "no/such/folder/x"], "--output-file no/such/folder/x: no such folder as no/such/folder"),
        (["--output-file", "."], "--output-file .: is a folder"),
        ([""], "'' is no path"),
    ],
)
def test_wrong_usage(write, run, options, message):
    write("a.py", SOURCE)
    code, out, err = run(*options)
    assert (code, out) == (2, "")
    assert err.startswith("warp-lint: error: ") and message in err and err.count("\n") == 1


def test_configuration(write, lint):
    write("pyproject.toml", '[tool.warp-lint]\nextend-select = ["ADJ503"]\nignore = ["ADJ101"]\nfail-on = "info"\n')
    write("sub/a.py", SOURCE)
    assert lint() == (1, [("sub/a.py", 3, "ADJ409"), ("sub/a.py", 4, "ADJ503")])
    assert lint("--fail-on", "never", "--select", "ADJ101") == (0, [("sub/a.py", 2, "ADJ101")])


def test_per_file_ignores(write, lint):
    write("pyproject.toml", '[tool.warp-lint.per-file-ignores]\n"tests/" = ["ADJ1"]\n"*_old.py" = ["ADJ"]\n')
    write("tests/a.py", SOURCE)
    write("b_old.py", SOURCE)
    write("c.py", SOURCE)
    assert [(path, code) for path, _, code in lint()[1]] == [
        ("c.py", "ADJ101"),
        ("c.py", "ADJ409"),
        ("tests/a.py", "ADJ409"),
    ]


def test_each_project_has_its_own_configuration(write, lint):
    write("one/pyproject.toml", '[tool.warp-lint]\nselect = ["ADJ101"]\n')
    write("one/a.py", SOURCE)
    write("two/pyproject.toml", '[tool.warp-lint]\nselect = ["ADJ409"]\n')
    write("two/a.py", SOURCE)
    assert lint()[1] == [("one/a.py", 2, "ADJ101"), ("two/a.py", 3, "ADJ409")]


def test_a_wrong_configuration_is_an_error(write, run):
    write("pyproject.toml", '[tool.warp-lint]\nslect = ["ADJ1"]\n')
    write("a.py", SOURCE)
    code, out, err = run("a.py")
    assert (code, out) == (2, "")
    assert err == ("warp-lint: error: pyproject.toml: [tool.warp-lint] unknown key `slect`; did you mean `select`?\n")


def test_the_target_version(write, run):
    write("a.py", HEAD + "x = 1  # PLANT ADJ307\ny = 2  # PLANT ADJ406\n")

    def judged(*options):
        document = json.loads(run("--format", "json", "a.py", *options)[1])
        return document["warp_version"], [item["code"] for item in document["findings"]]

    assert judged("--target-warp", "1.16") == ("1.16", ["ADJ307", "ADJ406"])
    assert judged("--target-warp", "1.17.0.dev3") == ("1.17.0.dev3", ["ADJ406"])
    assert judged("--target-warp", "1.19.0") == ("1.19.0", ["ADJ406"])
    assert judged("--target-warp", "1.12.1") == ("1.12.1", ["ADJ307"])
    write("pyproject.toml", '[tool.warp-lint]\ntarget-warp = "1.12"\n')
    assert judged()[0] == "1.12"
    assert judged("--target-warp", "1.14")[0] == "1.14"


@pytest.mark.parametrize(("installed", "expected"), [("1.15.0", "1.15.0"), (None, "1.19.0"), ("?", "1.19.0")])
def test_the_default_target_is_the_installed_warp(write, run, monkeypatch, installed, expected):
    from importlib import metadata

    from warp_lint import engine

    def version(name):
        assert name == "warp-lang"
        if installed is None:
            raise metadata.PackageNotFoundError(name)
        return installed

    imported = "warp" in sys.modules
    engine.installed_warp.cache_clear()
    monkeypatch.setattr(metadata, "version", version)
    write("a.py", HEAD)
    try:
        assert json.loads(run("--format", "json", "a.py")[1])["warp_version"] == expected
        assert ("warp" in sys.modules) == imported  # the version is read without importing Warp
    finally:
        engine.installed_warp.cache_clear()


def test_suppressions(write, lint):
    write(
        "a.py",
        HEAD
        + "tape = wp.Tape()\n"
        + "a = 1  # PLANT ADJ101 # noqa: ADJ101\n"
        + "b = 1  # PLANT ADJ101 # warp-lint: ignore[ADJ101] measured right\n"
        + "c = [  # warp-lint: ignore[ADJ104]\n    1,  # PLANT ADJ104\n]\n"
        + "d = 1  # PLANT ADJ101 # noqa: ADJ102\n"
        + "e = 1  # warp-lint: ignore[ADJ301] only a whole program can tell\n",
    )
    assert lint("a.py") == (1, [("a.py", 8, "ADJ101"), ("a.py", 8, "ADJ902")])
    assert lint(".") == (1, [("a.py", 8, "ADJ101"), ("a.py", 8, "ADJ902"), ("a.py", 9, "ADJ902")])
    assert lint("a.py", "--ignore", "ADJ102") == (1, [("a.py", 8, "ADJ101")])


def test_a_comment_for_a_rule_that_is_off_is_not_unused(write, lint):
    write("a.py", HEAD + "tape = wp.Tape()\na = 1  # PLANT ADJ101 # noqa: ADJ101\n")
    assert lint("a.py", "--ignore", "ADJ101") == (0, [])


def test_standard_input(write, run, monkeypatch):
    write("pyproject.toml", '[tool.warp-lint]\nignore = ["ADJ409"]\n')
    write("sub/a.py", HEAD)

    def given(data, *options):
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(data)))
        code, out, _ = run("--format", "json", "-", *options)
        document = json.loads(out)
        return code, [(item["path"], item["line"], item["code"]) for item in document["findings"]], document["errors"]

    assert given(SOURCE.encode()) == (1, [("<stdin>", 2, "ADJ101")], [])
    assert given(SOURCE.encode(), "--stdin-filename", "sub/a.py") == (1, [("sub/a.py", 2, "ADJ101")], [])
    assert given(b"", "--stdin-filename", "sub/new.py") == (0, [], [])
    code, findings, errors = given(b"x = (\n")
    assert (code, findings) == (2, [])
    assert [(error["path"], error["code"]) for error in errors] == [("<stdin>", "ADJ901")]
    assert given("s = 'å'".encode("latin-1"))[0] == 2


def test_the_report_in_a_file(write, run, tmp_path):
    write("a.py", SOURCE)
    code, out, err = run("a.py", "--output-file", "report.txt")
    assert (code, out, err) == (1, "", "")
    assert Path("report.txt").read_text().splitlines()[-1] == "SUMMARY: warp-lint: 1 error, 1 warning in 1 file"


def test_a_place_that_cannot_take_the_report_is_named_before_the_work(write, run, planted):
    write("a.py", SOURCE)
    assert run("a.py", "--output-file", "no/report.txt")[0] == 2
    assert planted == []


@pytest.mark.parametrize(
    ("environment", "coloured"),
    [({}, False), ({"FORCE_COLOR": "1"}, True), ({"FORCE_COLOR": "1", "NO_COLOR": "1"}, False)],
)
def test_colour(write, run, monkeypatch, environment, coloured):
    write("a.py", SOURCE)
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    assert ("\x1b[" in run("a.py")[1]) is coloured


def test_fingerprints_survive_moved_lines_and_tell_equal_lines_apart(write, run):
    def prints(text):
        write("a.py", text)
        return [item["fingerprint"] for item in json.loads(run("--format", "json", "a.py")[1])["findings"]]

    line = "x = 1  # PLANT ADJ101\n"
    before = prints(HEAD + line + line)
    assert len(set(before)) == 2
    assert prints(HEAD + "\n\ny = 2\n" + line + "z = 3\n" + line) == before
    assert prints(HEAD + line.replace("1", "2", 1)) != before[:1]


def test_results_are_kept_and_used_again(write, lint, planted):
    file = write("a.py", SOURCE)
    first = lint()
    assert planted == [file]
    assert lint() == first and lint("--select", "ADJ409") == (0, first[1][1:])
    assert planted == [file]
    assert lint("--no-cache") == first
    assert planted == [file, file]
    write("a.py", SOURCE + "\n")
    assert lint("--target-warp", "1.16") == lint() == first
    assert planted == [file, file, file, file]


def test_an_internal_error_is_one_line_that_names_the_file():
    from warp_lint.analysis import internal_error

    error = internal_error("a.py", RecursionError("too\ndeep"))
    assert error.path == "a.py" and not error.code
    assert error.message.startswith("internal error: RecursionError: too deep (WARP_LINT_DEBUG=1")


def test_a_crash_is_one_line(write, run, monkeypatch):
    from warp_lint import analysis

    def analyse(*arguments):
        raise AssertionError("broken")

    monkeypatch.setattr(analysis, "analyse", analyse)
    write("a.py", SOURCE)
    code, out, err = run("a.py")
    assert (code, out) == (2, "")
    assert err == "warp-lint: internal error: AssertionError: broken (WARP_LINT_DEBUG=1 shows where)\n"


def test_rule_pages(run):
    code, out, _ = run("rule", "ADJ301")
    assert code == 0 and "ADJ301" in out.splitlines()[0] and "ping-pong" in out.splitlines()[0]
    assert run("rule", "ping-pong")[1] == out
    assert out in run("rule", "--all")[1]
    code, _, err = run("rule", "ADJ333")
    assert code == 2 and "unknown rule `ADJ333`; did you mean" in err
    assert run("rule")[0] == 2


def test_version_and_help(run, capsys):
    from warp_lint import __version__

    for option in ("--version", "--help"):
        with pytest.raises(SystemExit) as stop:
            run(option)
        assert stop.value.code == 0
    out = capsys.readouterr().out
    assert out.startswith(f"warp-lint {__version__}\n") and "--target-warp VERSION" in out


@pytest.mark.parametrize(
    ("version", "said"),
    [
        ("2.1", "warp-lint: Warp 2.1 is newer than those measured; judged like 1.19\n"),
        ("1.19.3", ""),
        ("1.12", ""),
        ("1.9.1", "warp-lint: Warp 1.9.1 is older than those measured; judged like 1.12\n"),
    ],
)
def test_versions_outside_the_measured_ones_are_said(write, run, version, said):
    write("a.py", SOURCE)
    code, _, err = run("a.py", "--target-warp", version)
    assert (code, err) == (1, said)
