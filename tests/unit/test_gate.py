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
    def ask(name, **changes):
        gate._known.clear()
        configs = Configs()
        file = tmp_path / name
        config = replace(configs.for_file(file), **changes)
        return gate.differentiates(config, [file], [file.read_bytes()], configs)

    return ask


def test_any_file_of_the_project_decides(write, asked):
    write("pyproject.toml")
    write("pkg/kernels.py", "import warp as wp")
    write("apps/viewer.py", "import warp as wp")
    assert not asked("pkg/kernels.py")
    write("apps/train.py", "import warp as wp\ntape = wp.Tape()")
    assert asked("pkg/kernels.py")
    assert not asked("pkg/kernels.py", differentiable=False)


def test_the_configuration_overrides(write, asked):
    write("a.py", "import warp as wp")
    assert asked("a.py", differentiable=True)


def test_excluded_files_do_not_count(write, asked):
    write("pyproject.toml")
    write("a.py", "import warp as wp")
    write("venv/lib.py", "import warp as wp\ntape = wp.Tape()")
    assert not asked("a.py")


def test_without_a_marked_project_the_folder_or_package_counts(write, asked):
    write("loose/a.py", "import warp as wp")
    write("loose/sub/train.py", "import warp as wp\ntape = wp.Tape()")
    assert not asked("loose/a.py")
    write("loose/b.py", "import warp as wp\ntape = wp.Tape()")
    assert asked("loose/a.py")
    write("pkg/__init__.py")
    write("pkg/inner/__init__.py")
    write("pkg/inner/a.py", "import warp as wp")
    assert not asked("pkg/inner/a.py")
    write("pkg/other/train.py", "import warp as wp\ntape = wp.Tape()")
    assert asked("pkg/inner/a.py")
