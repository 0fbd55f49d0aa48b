"""The command line with the real analysis behind it: kept results, comments, what is not followed, processes."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from warp_lint import cli

ROOT = Path(__file__).parents[2]

KERNELS = """\
import warp as wp


@wp.kernel
def step(a: wp.array(dtype=float), b: wp.array(dtype=float)):
    i = wp.tid()
    b[i] = {}
"""
LINEAR, SQUARE = KERNELS.format("2.0 * a[i]"), KERNELS.format("a[i] * a[i]")
MAIN = """\
import warp as wp

from kernels import step

a = wp.ones(3, dtype=float, requires_grad=True)
b = wp.zeros(3, dtype=float, requires_grad=True)
loss = wp.zeros(3, dtype=float, requires_grad=True)
with wp.Tape() as tape:
    wp.launch(step, dim=3, inputs=[a], outputs=[b])
    wp.copy(a, b)
    wp.launch(step, dim=3, inputs=[a], outputs=[loss])
tape.backward(grads={loss: wp.ones_like(loss)})
print(a.grad.numpy())
"""
COPIED = ("main.py", 10, "ADJ302")


@pytest.fixture
def lint(tmp_path, monkeypatch, capsys):
    """Run in the test's folder, with results kept there: `lint("main.py")` -> (code, [(path, line, code), …])."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("WARP_LINT_CACHE_DIR", str(tmp_path / ".results"))

    def call(*arguments):
        code = cli.main(["--format", "json", "--target-warp", "1.19", *arguments])
        document = json.loads(capsys.readouterr().out)
        return code, [(item["path"], item["line"], item["code"]) for item in document["findings"]]

    return call


def analysed(monkeypatch):
    """The list that grows with each analysis that a kept result does not spare."""
    from warp_lint import analysis

    runs: list[object] = []
    real = analysis.analyse

    def analyse(*arguments):
        runs.append(arguments)
        return real(*arguments)

    monkeypatch.setattr(analysis, "analyse", analyse)
    return runs


def test_a_kept_result_ends_when_an_imported_file_changes(write, lint, monkeypatch):
    runs = analysed(monkeypatch)
    write("main.py", MAIN)
    write("kernels.py", SQUARE)
    assert lint("main.py") == lint("main.py") == (1, [COPIED])
    assert len(runs) == 1
    write("kernels.py", LINEAR)
    assert lint("main.py") == lint("main.py") == (0, [])
    assert len(runs) == 2
    (Path("kernels.py")).unlink()
    assert lint("main.py") == (0, [])
    write("kernels/__init__.py", SQUARE)
    assert lint("main.py") == (1, [COPIED])
    assert len(runs) == 4


def test_a_kept_result_ends_with_the_configuration_it_rests_on_and_the_program_that_made_it(write, lint, monkeypatch):
    runs = analysed(monkeypatch)
    write("main.py", MAIN)
    write("kernels.py", SQUARE)
    lint("main.py")
    write("pyproject.toml", "[tool.warp-lint]\ndifferentiable = false\n")
    assert lint("main.py") == (0, [])
    write("pyproject.toml", '[tool.warp-lint]\nignore = ["ADJ3"]\n')
    assert lint("main.py") == (0, [])
    write("pyproject.toml", "[tool.warp-lint]\n")
    assert lint("main.py") == (1, [COPIED])
    before = len(runs)
    monkeypatch.setattr("warp_lint.cache.__version__", "99.0")
    assert lint("main.py") == (1, [COPIED])
    assert len(runs) == before + 1


def test_comments_of_real_findings(write, lint):
    write("kernels.py", SQUARE)
    silent = MAIN.replace("wp.copy(a, b)", "wp.copy(a, b)  # warp-lint: ignore[copy-onto-read] it is meant")
    write("main.py", silent)
    assert lint("--fail-on", "info") == (0, [])
    write("kernels.py", LINEAR)
    assert lint() == (0, [("main.py", 10, "ADJ902")])
    assert lint("--fail-on", "warning") == (1, [("main.py", 10, "ADJ902")])
    assert lint("--select", "ADJ3") == lint("--ignore", "ADJ302,ADJ902") == (0, [])
    assert lint("--ignore", "ADJ302") == (0, [])  # no wonder that it isn't reported
    write("main.py", silent.replace("import warp as wp\n", "import warp as wp  # noqa: ADJ301, E402\n"))
    assert lint()[1] == [("main.py", 1, "ADJ902"), ("main.py", 10, "ADJ902")]


def test_what_is_not_followed_is_said_on_request_once_per_place(write, lint):
    write("main.py", MAIN.replace("from kernels", "from nowhere"))
    assert lint("--fail-on", "info") == (0, [])
    code, found = lint("--extend-select", "ADJ903", "--fail-on", "info")
    assert (code, found) == (1, [("main.py", 9, "ADJ903"), ("main.py", 11, "ADJ903")])
    write("pyproject.toml", '[tool.warp-lint]\nextend-select = ["analysis-incomplete"]\n')
    assert lint()[1] == found


SHARED = "from warp_lint import analysis, cli; analysis._SHARE = 1; cli.run()"


def test_the_same_findings_in_any_order_and_number_of_processes():
    """Programs of the corpus, with every file a share of its own where there is more than one process."""
    corpus = ROOT / "test_corpus"
    paths = [str(path.relative_to(ROOT)) for path in sorted(corpus.glob("*/bad"))[:3]]

    def output(*options: str) -> str:
        command = [sys.executable, "-c", SHARED, "--no-cache", "--format", "json", *options]
        return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False, timeout=300).stdout

    first = output("-j1", *paths)
    assert len(json.loads(first)["findings"]) > len(paths)
    assert output("-j3", *reversed(paths)) == first


SIMULATION = """\
import warp as wp

from kernels import step


class Simulation:
    def __init__(self):
        self.a = wp.ones(3, dtype=float, requires_grad=True)
        self.loss = wp.zeros(3, dtype=float, requires_grad=True)

    def run(self):
        tape = wp.Tape()
        with tape:
            wp.launch(step, dim=3, inputs=[self.a], outputs=[self.loss])
        tape.backward(grads={self.loss: wp.ones_like(self.loss)})
        return self.a.grad.numpy()
"""
ACCUMULATED = ("simulation.py", 15, "ADJ402")


@pytest.mark.parametrize(
    ("program", "found"),
    [
        ("s = Simulation()\nprint(s.run())\n", []),
        ("print(Simulation().run())\n", []),
        ("s = Simulation()\nfor _ in range(2):\n    print(s.run())\n", [ACCUMULATED]),
        ("def main():\n    s = Simulation()\n    print(s.run())\n\n\nmain()\n", []),
        ("def main():\n    s = Simulation()\n    print(s.run(), s.run())\n\n\nmain()\n", [ACCUMULATED]),
    ],
    ids=["once", "temporary", "loop", "main", "main-twice"],
)
def test_programs_without_a_word_of_warp(tmp_path, lint, program, found):
    """Whether a method runs twice is known from the file that calls it, in the same file or another."""
    (tmp_path / "kernels.py").write_text(SQUARE)
    (tmp_path / "simulation.py").write_text(SIMULATION)
    (tmp_path / "train.py").write_text("from simulation import Simulation\n\n" + program)
    assert lint(".")[1] == found
    (tmp_path / "train.py").unlink()
    (tmp_path / "simulation.py").write_text(SIMULATION + "\n\n" + program)
    assert lint(".")[1] == found


def test_programs_are_found_through_packages(tmp_path, lint):
    package = tmp_path / "sim"
    package.mkdir()
    (tmp_path / "kernels.py").write_text(SQUARE)
    (package / "simulation.py").write_text(SIMULATION)
    (package / "__init__.py").write_text("from .simulation import Simulation\n")
    (tmp_path / "train.py").write_text("import sim\n\nprint(sim.Simulation().run())\n")
    (tmp_path / "other.py").write_text("import json\n\nprint(json.dumps({)\n")  # no concern of ours
    assert lint(".") == (0, [])
