"""Inputs that no one should have: a clear message, the other files still linted, the right exit code."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys

import pytest

GOOD = """\
import warp as wp


@wp.kernel
def scale(a: wp.array[float], b: wp.array[float]):
    i = wp.tid()
    a[i] *= b[i]


if __name__ == "__main__":
    a = wp.ones(3, dtype=float, requires_grad=True)
    b = wp.ones(3, dtype=float, requires_grad=True)
    with wp.Tape() as tape:
        wp.launch(scale, dim=3, inputs=[a, b])
    tape.backward(grads={a: wp.ones_like(a)})
    print(b.grad.numpy())
"""
HEAD = "import warp as wp\n"


@pytest.fixture
def hostile(write, tmp_path):
    """Lint a folder that holds a file with a finding and the hostile one, in a process of its own."""

    def call(*options):
        write("good.py", GOOD)
        command = [sys.executable, "-m", "warp_lint", "--format", "json", "--fail-on", "warning", *options]
        done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=120)
        assert done.stderr == ""
        document = json.loads(done.stdout)
        found = [(item["path"], item["line"], item["code"]) for item in document["findings"]]
        assert ("good.py", 7, "ADJ101") in found
        others = [item for item in found if item[0] != "good.py"]
        errors = [(item["path"], item["line"], item["column"], item["code"]) for item in document["errors"]]
        return done.returncode, others, errors, [item["message"] for item in document["errors"]]

    return call


@pytest.mark.parametrize(
    ("content", "place", "message"),
    [
        (HEAD + "def f(:\n    pass\n", (2, 7), "invalid syntax"),
        (HEAD + "if x:\npass\n", (3, 1), "expected an indented block"),
        (HEAD + "s = 'open\n", (2, 5), "unterminated string literal"),
        ((HEAD + "s = 'é'\n").encode("latin-1"), (2, 6), "not valid utf-8: byte 0xe9"),
        (HEAD.encode() + b"x = 1\0\n", (2, 6), "NUL byte"),
        (b"\xff\xfe" + (HEAD + "x = (\n").encode("utf-16-le"), (2, 5), "'(' was never closed"),
        (b"# coding: klingon\n" + HEAD.encode(), (1, 1), "unknown encoding"),
        (b"# coding: undefined\n" + HEAD.encode(), (1, 1), "undefined"),
    ],
)
def test_text_that_does_not_parse(write, hostile, content, place, message):
    write("hostile.py", content)
    code, others, errors, messages = hostile()
    assert (code, others) == (2, [])
    assert errors == [("hostile.py", *place, "ADJ901")]
    assert message in messages[0]


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"\n\n",
        b"# warp",
        b"\xef\xbb\xbf" + HEAD.encode(),
        HEAD.replace("\n", "\r\n").encode(),
        HEAD.replace("\n", "\r").encode() + b"x = 1\r",
        HEAD.encode("utf-16"),
        (b"# coding: latin-1\n" + HEAD.encode() + b"s = '\xe9'\n"),
        HEAD.encode() + b"\x0c\nx = 1\n\x0c",
        b"\xff\xfe",
        "import warp\ns = '\U0001f4a5\u2028\u2029\x85'\n".encode(),
        b"s = 'no use of it: \xe9'\n",
    ],
)
def test_text_that_is_only_odd(write, hostile, content):
    write("hostile.py", content)
    assert hostile() == (1, [], [], [])


def test_a_syntax_error_without_warp_matters_only_in_a_file_that_is_named(write, hostile):
    write("hostile.py", "def f(:\n")
    assert hostile()[:3] == (1, [], [])
    assert hostile("good.py", "hostile.py")[:3] == (2, [], [("hostile.py", 1, 7, "ADJ901")])


def test_a_file_that_may_not_parse_can_be_ignored(write, hostile):
    write("template.py", HEAD + "{{ name }} = (\n")
    assert hostile()[0] == 2
    write("pyproject.toml", '[tool.warp-lint.per-file-ignores]\n"template.py" = ["ADJ901"]\n')
    assert hostile()[:3] == (1, [], [])


def test_nested_parentheses(write, hostile):
    write("hostile.py", HEAD + "x = " + "(" * 1000 + "1" + ")" * 1000 + "\n")
    code, others, errors, messages = hostile()
    assert (code, others, len(errors)) == (2, [], 1)
    assert errors[0][0] == "hostile.py" and errors[0][3] == "ADJ901"
    assert "nested" in messages[0] or "parenthes" in messages[0]


KERNEL = """
@wp.kernel
def long(a: wp.array[float], b: wp.array[float]):
    i = wp.tid()
    b[i] = {}


def forward(a, b):
    with wp.Tape():
        wp.launch(long, dim=1, inputs=[a], outputs=[b])
        print({})
"""


@pytest.mark.parametrize("term", ["a[i] + ", "-", "a[i] * "])
def test_long_expressions(write, hostile, term):
    count = 5000 if term != "-" else 150
    write("hostile.py", HEAD + KERNEL.format(term * count + "a[i]", term.replace("[i]", "") * count + "a"))
    code, others, errors, _ = hostile()
    assert (code, others, errors) == (1, [], [])


@pytest.mark.parametrize(
    ("piece", "count"),
    [
        ("x = 1\n", 20_000),
        ("x = '" + "warp" * 200_000 + "'\n", 1),
        ("f(" + "1, " * 20_000 + ")\n", 1),
        ("@wp.kernel\ndef k(a: wp.array[float]):\n    i = wp.tid()\n    a[i] = a[i] + 1.0\n\n\n", 3_000),
    ],
)
def test_large_files(write, hostile, piece, count):
    write("hostile.py", HEAD + piece * count)
    assert hostile() == (1, [], [], [])


@pytest.mark.parametrize(
    "grown",
    [
        "[x := x + x for _ in range(60)]",
        "[x.extend(x) for _ in range(60)]",
        "[t := t + t for _ in range(60)]",
        "[t := t.join([t, t, t]) for _ in range(60)]",
        "[t := f'{t}{t}' for _ in range(60)]",
        "'%1000000000d' % 1",
        "'{:>1000000000}'.format(1)",
        "f'{1:>1000000000}'",
    ],
)
def test_values_that_would_fill_the_memory(write, hostile, grown):
    """A later finding is still made."""
    resource = pytest.importorskip("resource")
    tail = GOOD.replace("with wp.Tape", f"x = [1]\n    t = 'ab'\n    y = {grown}\n    with wp.Tape")
    write("hostile.py", tail)
    limit = resource.getrlimit(resource.RLIMIT_AS)
    resource.setrlimit(resource.RLIMIT_AS, (1 << 30, limit[1]))
    try:
        assert hostile() == (1, [("hostile.py", 7, "ADJ101")], [], [])
    finally:
        resource.setrlimit(resource.RLIMIT_AS, limit)


def test_deep_nesting_of_blocks(write, hostile):
    deep = "".join("    " * level + "if x:\n" for level in range(90)) + "    " * 90 + "x = 1\n"
    write("hostile.py", HEAD + deep)
    assert hostile()[:3] == (1, [], [])


def test_a_folder_named_like_a_file_and_a_loop_of_links(write, hostile, tmp_path):
    write("folder.py/inner.py", GOOD)
    (tmp_path / "folder.py" / "loop").symlink_to(tmp_path, target_is_directory=True)
    assert hostile() == (1, [("folder.py/inner.py", 7, "ADJ101")], [], [])


def test_files_that_cannot_be_read(write, hostile, tmp_path):
    (tmp_path / "dangling.py").symlink_to(tmp_path / "nowhere")
    code, others, errors, messages = hostile(".", "absent.py")
    assert (code, others) == (2, [])
    assert errors == [("absent.py", 1, 1, None), ("dangling.py", 1, 1, None)]
    assert messages == ["can't be read: No such file or directory"] * 2


def test_a_folder_that_may_not_be_entered(write, tmp_path, monkeypatch, capsys):
    """As the system refuses it to others than root: nothing below can be looked at."""
    from warp_lint import cli

    write("good.py", GOOD)
    write("shut/inner.py", GOOD)
    shut = str(tmp_path / "shut")
    calls = {name: getattr(os, name) for name in ("stat", "lstat", "scandir")}

    def refusing(name):
        def call(path, *arguments, **options):
            text = os.fsdecode(path) if isinstance(path, (str, bytes, os.PathLike)) else ""
            if text.startswith(shut + os.sep) or (name == "scandir" and text == shut):
                raise PermissionError(13, "Permission denied", text)
            return calls[name](path, *arguments, **options)

        return call

    for name in calls:
        monkeypatch.setattr(os, name, refusing(name))
    monkeypatch.chdir(tmp_path)
    assert cli.main(["shut", "good.py", "--no-cache", "--format", "json"]) == 2
    document = json.loads(capsys.readouterr().out)
    assert [(e["path"], e["message"]) for e in document["errors"]] == [("shut", "can't be listed: Permission denied")]
    assert [(item["path"], item["code"]) for item in document["findings"]] == [("good.py", "ADJ101")]


def test_a_name_that_is_no_text(hostile, tmp_path):
    name = b"odd\xff\n.py"
    try:
        (tmp_path / name.decode("utf-8", "surrogateescape")).write_text(HEAD + "x = (\n")
    except OSError:
        pytest.skip("the file system refuses such names")
    code, others, errors, _ = hostile()
    assert (code, others) == (2, [])
    assert errors == [("odd\udcff\n.py", 2, 5, "ADJ901")]
    done = subprocess.run([sys.executable, "-m", "warp_lint"], cwd=tmp_path, capture_output=True, timeout=120)
    assert done.returncode == 2 and b"Traceback" not in done.stderr
    assert rb"odd\udcff\n.py:2:5: ADJ901" in done.stdout


# The analysis runs in a thread; this one says when it is there, and never ends.
INTERRUPTED = """
import sys, time
from warp_lint import analysis, cli

def endless(*arguments):
    print("ready", file=sys.stderr, flush=True)
    while True:
        time.sleep(0.01)

analysis._analyse = endless
cli.run()
"""


def test_a_reader_that_goes_away(write, tmp_path):
    write("good.py", GOOD * 200)
    command = f"'{sys.executable}' -m warp_lint --select ADJ good.py | head -n 1"
    done = subprocess.run(["bash", "-c", command], cwd=tmp_path, capture_output=True, text=True, timeout=120)
    assert done.stderr == ""


@pytest.mark.skipif(os.name != "posix", reason="needs a POSIX shell")
@pytest.mark.parametrize("closed", [">&-", "2>&-", ">&- 2>&-", "<&- >&- 2>&-"])
def test_streams_that_are_closed(write, tmp_path, closed):
    write("good.py", GOOD)
    command = f"'{sys.executable}' -m warp_lint good.py {closed}"
    done = subprocess.run(["bash", "-c", command], cwd=tmp_path, capture_output=True, text=True, timeout=120)
    assert (done.returncode, done.stderr) == (1, "")
    assert ("good.py:" in done.stdout) is (closed == "2>&-")


@pytest.mark.skipif(os.name != "posix", reason="needs signals")
def test_an_interrupt_ends_it_at_once(write, tmp_path):
    write("good.py", GOOD)
    command = [sys.executable, "-c", INTERRUPTED, "good.py", "--no-cache"]
    process = subprocess.Popen(command, cwd=tmp_path, stderr=subprocess.PIPE, text=True)
    assert process.stderr is not None and process.stderr.readline() == "ready\n"
    process.send_signal(signal.SIGINT)
    assert process.wait(60) == 130
    assert process.stderr.read() == "warp-lint: interrupted\n"
    process.stderr.close()


def test_any_order_of_paths_and_any_number_of_processes(write, hostile):
    for name in ("b", "a", "c"):
        write(f"{name}.py", GOOD)
    paths = ["a.py", "b.py", "c.py", "good.py"]
    first = hostile(*paths, "-j1")
    assert first == hostile(*reversed(paths), "-j4", "--no-cache") == hostile(".", "--no-cache")
    assert [path for path, _, _ in first[1]] == ["a.py", "b.py", "c.py"]
