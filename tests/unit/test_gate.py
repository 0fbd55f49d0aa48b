from __future__ import annotations

from dataclasses import replace

import pytest

from warp_lint import gate
from warp_lint.config import Configs


@pytest.mark.parametrize(
    ("text", "sign"),
    [
        ("import warp as wp\nwith wp.Tape() as tape: pass", True),
        ("from warp import Tape", True),
        ("import warp as wp\nx = wp.zeros(3, requires_grad=True)", True),
        ("import warp as wp\nx = wp.zeros(3, requires_grad=flag)", True),
        ("import warp as wp\nx = wp.zeros(3, requires_grad=False)", False),
        ("import warp as wp\nwp.launch(k, dim=1, adjoint = True)", True),
        ("from warp.jax_experimental import jax_kernel", True),
        ("import warp\nTapeworm = Reel_Tape_2 = 1", False),
        ("import warp as wp\nx = wp.zeros(3)", False),
        ("import torch\nx = torch.zeros(3, requires_grad=True)", False),
    ],
)
def test_signs_of_gradients(text, sign):
    assert gate.has_sign(text.encode()) is sign


@pytest.fixture
def asked(tmp_path):
    """Is a file differentiated, linted alone?"""

    def ask(name, **changes):
        configs = Configs()
        file = tmp_path / name
        config = replace(configs.for_file(file), **changes)
        answer = gate.differentiated(config, {file: file.read_bytes()}, configs)
        assert answer.files in (frozenset(), {file})
        return bool(answer.files), answer.project

    return ask


FORWARD = "import warp as wp\n"
TAPE = "import warp as wp\ntape = wp.Tape()\n"


@pytest.mark.parametrize(
    "line",
    [
        "from pkg.kernels import step",
        "from pkg import kernels",
        "from pkg import (\n    other,  # first\n    kernels as k,\n)",
        "from pkg import other, \\\n    kernels",
        "import pkg.kernels",
        "import os, pkg.kernels as k",
        "def main():\n    from pkg.kernels import step",
        "from pkg.middle import step",
        "from lazy import step",
    ],
)
def test_files_that_a_differentiated_one_imports(write, asked, line):
    write("pyproject.toml")
    write("pkg/__init__.py")
    write("pkg/other.py", FORWARD)
    write("pkg/middle.py", "from . import kernels as k\nfrom .. import nothing\n")
    write("lazy/__init__.py", 'HOMES = {"step": "deep"}\ndef __getattr__(name): ...')
    write("lazy/deep.py", "from pkg.kernels import *\n")
    write("lazy/scene.py", "from pkg.viewer import *\n")  # not named by the package
    write("pkg/kernels.py", FORWARD)
    write("pkg/viewer.py", FORWARD)
    write("apps/train.py", TAPE)
    assert asked("pkg/kernels.py") == (False, True)
    write("apps/train.py", TAPE + line + "\n")
    assert asked("apps/train.py") == (True, True)
    assert asked("pkg/kernels.py") == (True, True)
    assert asked("pkg/viewer.py") == (False, True)


def test_names_that_are_computed(write, asked):
    write("pyproject.toml")
    write("lazy/__init__.py", "def __getattr__(name): return import_module(f'lazy.{name}')")
    write("lazy/kernels.py", FORWARD)
    write("apps/train.py", TAPE + "import lazy\n")
    assert asked("lazy/kernels.py") == (True, True)


def test_what_a_package_hands_on(write, asked):
    write("pyproject.toml")
    write("pkg/__init__.py", "from .kernels import step\n")
    write("pkg/kernels.py", FORWARD)
    write("pkg/viewer.py", FORWARD)
    write("train.py", TAPE + "from pkg import step\n")
    assert asked("pkg/kernels.py") == (True, True)
    assert asked("pkg/viewer.py") == (False, True)
    write("train.py", TAPE + "from pkg import viewer\n")
    assert asked("pkg/kernels.py") == (False, True)
    assert asked("pkg/viewer.py") == (True, True)


def test_a_project_below_src(write, asked):
    write("pyproject.toml")
    write("src/pkg/__init__.py")
    write("src/pkg/kernels.py", FORWARD)
    write("tests/test_it.py", TAPE + "from pkg.kernels import step\n")
    assert asked("src/pkg/kernels.py") == (True, True)


def test_importing_a_differentiated_file_changes_nothing(write, asked):
    write("pyproject.toml")
    write("train.py", TAPE)
    write("viewer.py", FORWARD + "import train\n")
    assert asked("viewer.py") == (False, True)


def test_the_configuration_overrides(write, asked):
    write("pyproject.toml")
    write("a.py", FORWARD)
    write("b.py", TAPE)
    assert asked("a.py") == (False, True)
    assert asked("a.py", differentiable=True) == (True, True)
    assert asked("b.py") == (True, True)
    assert asked("b.py", differentiable=False) == (False, False)


def test_excluded_files_do_not_count(write, asked):
    write("pyproject.toml")
    write("a.py", FORWARD)
    write("venv/lib.py", TAPE + "import a\n")
    assert asked("a.py") == (False, False)


def test_without_a_marked_project_the_folder_or_package_counts(write, asked):
    write("loose/a.py", FORWARD)
    write("loose/sub/train.py", TAPE + "import a\n")
    assert asked("loose/a.py") == (False, False)
    write("loose/b.py", TAPE + "import a\n")
    assert asked("loose/a.py") == (True, True)
    write("pkg/__init__.py")
    write("pkg/inner/__init__.py")
    write("pkg/inner/a.py", FORWARD)
    assert asked("pkg/inner/a.py") == (False, False)
    write("pkg/train.py", TAPE + "from pkg.inner import a\n")
    assert asked("pkg/inner/a.py") == (True, True)


def test_a_file_that_changes_is_looked_at_again(write, asked):
    write("a.py", FORWARD)
    write("b.py", FORWARD + "import a\n")
    assert asked("a.py") == (False, False)
    write("b.py", TAPE + "import a\n")
    assert asked("a.py") == (True, True)
