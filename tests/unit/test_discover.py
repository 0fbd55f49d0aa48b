from __future__ import annotations

import os

import pytest

from warp_lint.config import Configs
from warp_lint.discover import discover


@pytest.fixture
def found(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)

    def run(*paths):
        result = discover([tmp_path / path for path in paths], Configs(), lambda file: file.name)
        return [file.relative_to(tmp_path).as_posix() for file in result.files], result.errors

    return run


def test_python_files_in_order_each_once(write, found, tmp_path):
    for name in ("b.py", "a/z.py", "a/b.pyw", "a/notes.txt", "c.pyi", "a/b/c.py"):
        write(name)
    assert found(".", "b.py", "a") == (["a/b/c.py", "a/b.pyw", "a/z.py", "b.py"], [])
    assert found("a", ".") == found(".", "a")


@pytest.mark.parametrize(
    "name", [".git", ".venv", "venv", "build", "dist", "node_modules", "__pycache__", ".tox", "x.egg-info"]
)
def test_default_excludes(write, found, name):
    write(f"{name}/a.py")
    write(f"src/{name}/b.py")
    write("c.py")
    assert found(".") == (["c.py"], [])


def test_a_virtual_environment_by_any_name(write, found):
    write("env/pyvenv.cfg")
    write("env/lib/a.py")
    write("b.py")
    assert found(".") == (["b.py"], [])


def test_what_is_named_is_linted_even_if_excluded(write, found):
    write("build/a.py")
    write("build/sub/b.py")
    assert found("build/a.py") == (["build/a.py"], [])
    assert found("build") == (["build/a.py", "build/sub/b.py"], [])


def test_nested_gitignores(write, found):
    write("pyproject.toml")
    write(".gitignore", "/gen/\n*_pb.py\nlocal.py\n# comment\n\n")
    write("deep/.gitignore", "!local.py\nscratch/\n")
    for name in (
        "gen/a.py",
        "deep/gen/kept.py",
        "x_pb.py",
        "deep/y_pb.py",
        "local.py",
        "deep/local.py",
        "deep/scratch/b.py",
        "scratch/kept.py",
    ):
        write(name)
    assert found(".") == (["deep/gen/kept.py", "deep/local.py", "scratch/kept.py"], [])
    # The same below a folder named by itself: the files above still count.
    assert found("deep") == (["deep/gen/kept.py", "deep/local.py"], [])


def test_gitignore_of_the_repository_above(write, found):
    write("repo/.git/info/exclude", "private.py\n")
    write("repo/.gitignore", "gen/\n")
    write("repo/pkg/gen/a.py")
    write("repo/pkg/private.py")
    write("repo/pkg/b.py")
    write(".gitignore", "*.py\n")  # outside the repository: of no concern
    assert found("repo/pkg") == (["repo/pkg/b.py"], [])
    assert found("repo/pkg/gen") == (["repo/pkg/gen/a.py"], [])
    assert found("repo/pkg/private.py") == (["repo/pkg/private.py"], [])


def test_a_line_that_is_no_pattern_is_left_out(write, found):
    write(".gitignore", "!\nignored.py\n")
    write("ignored.py")
    write("kept.py")
    assert found(".") == (["kept.py"], [])


def test_excludes_of_the_configuration(write, found):
    write("pyproject.toml", '[tool.warp-lint]\nextend-exclude = ["sims/old/", "*_draft.py"]\n')
    for name in ("sims/old/a.py", "sims/b.py", "old/c.py", "d_draft.py", "build/e.py"):
        write(name)
    assert found(".") == (["old/c.py", "sims/b.py"], [])
    write("pyproject.toml", '[tool.warp-lint]\nexclude = ["sims/"]\n')
    assert found(".") == (["build/e.py", "d_draft.py", "old/c.py"], [])


def test_a_loop_of_links_ends(write, found, tmp_path):
    write("a/b.py")
    (tmp_path / "a" / "loop").symlink_to(tmp_path / "a", target_is_directory=True)
    (tmp_path / "a" / "up").symlink_to(tmp_path, target_is_directory=True)
    assert found(".") == (["a/b.py"], [])
    assert found("a/loop") == (["a/loop/b.py"], [])


def test_links_to_files(write, found, tmp_path):
    write("a.py")
    write("out/real.txt")
    (tmp_path / "same.py").symlink_to(tmp_path / "a.py")
    (tmp_path / "other.py").symlink_to(tmp_path / "out" / "real.txt")
    (tmp_path / ".#a.py").symlink_to("user@host.1234")
    assert found(".") == (["a.py", "other.py"], [])


def test_what_is_missing_or_no_file(write, found, tmp_path):
    write("folder.py/inner.py")
    (tmp_path / "dangling.py").symlink_to(tmp_path / "nowhere")
    os.mkfifo(tmp_path / "pipe.py")
    files, errors = found(".", "absent.py")
    assert files == ["dangling.py", "folder.py/inner.py"]
    assert [(error.path, error.message) for error in errors] == [
        ("absent.py", "can't be read: No such file or directory")
    ]
