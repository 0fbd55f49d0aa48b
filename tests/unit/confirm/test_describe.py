"""What is known of a kernel before it is launched."""

from pathlib import Path

import pytest

from warp_lint.confirm.describe import Facts, describe
from warp_lint.syntax.project import Project

HEAD = """
import enum
import warp as wp
class Kind(enum.IntEnum):
    FREE = 4
    BOUND = 5
LAST = wp.constant(-1)
@wp.struct
class Item:
    kind: int
@wp.func
def check(kinds: wp.array(dtype=int), i: int):
    return kinds[i] == 7
@wp.kernel
def k(a: wp.array(dtype=int), n: int, s: wp.array(dtype=Item), ids: wp.array(dtype=wp.uint64)):
    i = wp.tid()
"""


def facts(tmp_path: Path, body: str) -> Facts:
    (tmp_path / "m.py").write_text(HEAD + "".join(f"    {line}\n" for line in body.split("\n")))
    project = Project(tmp_path)
    module = project.module_at(tmp_path / "m.py")
    assert module is not None
    return describe(project, next(d for d in module.functions() if d.name == "k"))


@pytest.mark.parametrize(
    ("body", "choices"),
    [
        ("if a[i] == Kind.FREE or a[i] == 2:\n    a[i] = 0", {"a": [4, 2]}),
        ("t = a[i]\nif t == Kind.BOUND:\n    a[i] = 0", {"a": [5]}),
        ("t = a[i]\nif t == int(Kind.BOUND.value):\n    a[i] = 0", {"a": [5]}),
        ("if a[i] != LAST:\n    a[i] = 0", {"a": [-1]}),
        ("if s[i].kind == Kind.FREE:\n    a[i] = 0", {"s.kind": [4]}),
        ("if check(a, i):\n    a[i] = 0", {"a": [7]}),
        ("if n == -3:\n    a[i] = 0", {"n": [-3]}),
        ("if a[i] == n:\n    a[i] = 0", {}),
    ],
)
def test_constants_that_elements_are_compared_with(tmp_path, body, choices):
    assert facts(tmp_path, body).choices == choices


@pytest.mark.parametrize(
    ("body", "follows"),
    [
        ("while i >= 0:\n    i = a[i]", True),
        ("while a[i] >= 0:\n    i += 1", True),
        ("while i >= 0:\n    i -= 1", False),
        ("for j in range(n):\n    i = a[j]", False),
    ],
)
def test_loops_that_follow_an_array(tmp_path, body, follows):
    assert facts(tmp_path, body).follows is follows


def test_arrays_of_handles(tmp_path):
    assert facts(tmp_path, "m = wp.mesh_get(ids[i])").handles == {"ids": "mesh"}
