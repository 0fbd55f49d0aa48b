"""The plug-in inside the real flake8, and what it costs a run that has nothing to do with Warp."""

from __future__ import annotations

import ast
import subprocess
import sys
import time

import pytest

from warp_lint.flake8_plugin import Plugin

pytest.importorskip("flake8")

HEAD = "import warp as wp\n"


def violations(source, filename):
    lines = source.splitlines(keepends=True)
    return [(line, column, text) for line, column, text, _ in Plugin(ast.parse(source), str(filename), lines).run()]


@pytest.mark.usefixtures("planted")
def test_findings_of_one_file(write, tmp_path, monkeypatch, lint):
    monkeypatch.chdir(tmp_path)
    write("pyproject.toml", '[tool.warp-lint]\nextend-select = ["ADJ503"]\nignore = ["ADJ409"]\n')
    source = (
        HEAD
        + "a = 1  # PLANT ADJ101 # noqa: flake8 sees to that\n"
        + "b = 2  # PLANT ADJ101 # warp-lint: ignore[ADJ101]\n"
        + "c = 3  # PLANT ADJ409 PLANT ADJ503\n"
    )
    file = write("sub/a.py", source)
    expected = [(2, 0, "ADJ101 planted ADJ101"), (4, 0, "ADJ503 planted ADJ503")]
    assert violations(source, "sub/a.py") == expected
    assert violations(source, file) == expected
    assert violations(source, "stdin") == expected
    assert violations(source.replace("\n", "\r\n"), file) == expected
    write("sub/a.py", source.replace("# noqa", "# no"))
    assert lint("sub/a.py")[1] == [("sub/a.py", line, text[:6]) for line, _, text in expected]


@pytest.mark.usefixtures("planted")
def test_a_wrong_configuration_is_reported_in_the_file(write, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    write("pyproject.toml", '[tool.warp-lint]\nselct = ["ADJ1"]\n')
    assert violations(HEAD, "a.py") == [
        (
            1,
            0,
            "ADJ903 configuration not read: pyproject.toml: [tool.warp-lint] unknown key `selct`; "
            "did you mean `select`?",
        )
    ]


def test_files_without_warp_load_nothing(tmp_path):
    script = (
        "import sys, ast\n"
        "before = set(sys.modules)\n"
        "from warp_lint.flake8_plugin import Plugin\n"
        "assert not list(Plugin(ast.parse('x = 1'), 'a.py', ['x = 1']).run())\n"
        "print(sorted(set(sys.modules) - before))\n"
    )
    out = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True).stdout
    assert ast.literal_eval(out) in (
        ["__future__", "warp_lint", "warp_lint.flake8_plugin"],
        ["__future__", "collections.abc", "warp_lint", "warp_lint.flake8_plugin"],
    )


def test_idle_cost_is_below_ten_milliseconds():
    lines = [f"value_{number} = {number}\n" for number in range(20_000)]
    tree = ast.parse("".join(lines))
    start = time.process_time()
    assert not list(Plugin(tree, "a.py", lines).run())
    assert time.process_time() - start < 0.01


BAD = """\
import warp as wp


@wp.kernel
def scale(é: wp.array[float], b: wp.array[float]):
    i = wp.tid()
    if True: é[i] *= b[i]


def forward(x, b):
    with wp.Tape() as tape:
        wp.launch(scale, dim=3, inputs=[x, b])
    tape.backward(grads={x: wp.ones_like(x)})
    print(b.grad.numpy())


if __name__ == "__main__":
    forward(wp.ones(3, dtype=float, requires_grad=True), wp.ones(3, dtype=float, requires_grad=True))
"""


def flake8(tmp_path, *arguments, **options):
    command = [sys.executable, "-m", "flake8", "--isolated", "--select=ADJ", "-j1", *arguments]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, encoding="utf-8", **options)
    assert done.stderr == ""
    return done.stdout.splitlines()


def test_the_real_flake8(write, tmp_path, run, monkeypatch):
    import json

    write("a.py", BAD)
    write("b.py", "x = 1\n")
    (found,) = flake8(tmp_path, "a.py", "b.py")
    (finding,) = json.loads(run("--format", "json", "a.py")[1])["findings"]
    assert finding["code"] == "ADJ101"
    assert found == f"./a.py:{finding['line']}:{finding['column']}: ADJ101 {finding['message']}".removeprefix("./")
    assert (finding["line"], finding["column"]) == (7, 14)


def test_the_real_flake8_with_comments_and_standard_input(write, tmp_path):
    write("a.py", BAD.replace("b[i]\n\n\ndef", "b[i]  # noqa: ADJ101\n\n\ndef"))
    assert flake8(tmp_path, "a.py") == []
    write("a.py", BAD.replace("b[i]\n\n\ndef", "b[i]  # warp-lint: ignore[ADJ101] on purpose\n\n\ndef"))
    assert flake8(tmp_path, "a.py") == []
    (found,) = flake8(tmp_path, "-", input=BAD)
    assert found.startswith("stdin:7:14: ADJ101 ")
    (found,) = flake8(tmp_path, "-", "--stdin-display-name", "new.py", input=BAD)
    assert found.startswith("new.py:7:14: ADJ101 ")


@pytest.mark.usefixtures("planted")
def test_noqa_covers_a_statement_of_several_lines_in_flake8_too(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    source = HEAD + "a = (  # PLANT ADJ101\n    1\n)  # noqa: ADJ101\nb = (  # PLANT ADJ101\n    1\n)  # noqa: E501\n"
    assert violations(source, "a.py") == [(5, 0, "ADJ101 planted ADJ101")]
