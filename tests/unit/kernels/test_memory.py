"""Which accesses meet which, and in what order."""

from __future__ import annotations

import textwrap
from pathlib import Path

import pytest

from warp_lint.kernels.analysis import graph_of
from warp_lint.kernels.detect import kernels_of
from warp_lint.kernels.effects import Access
from warp_lint.kernels.memory import Hit, Memory
from warp_lint.settings import Settings
from warp_lint.syntax.project import Project


def first_pair(tmp_path: Path, body: str) -> Hit:
    """Does the first write to `a` touch what the first read of `a` read, later?"""
    lines = textwrap.indent(textwrap.dedent(body).strip("\n"), "    ")
    header = (
        "@wp.kernel\ndef k(a: wp.array(dtype=float), ids: wp.array(dtype=int), n: int, m: int):\n    i = wp.tid()\n"
    )
    project = Project(tmp_path)
    module = project.add(tmp_path / "m.py", f"import warp as wp\n{header}{lines}\n")
    assert module is not None
    graph, _ = graph_of(project, kernels_of(project, module)[0], Settings())
    memory = Memory(graph)
    read = next(e for e in graph.events if e.access is Access.READ and e.path == ("a",))
    write = next(e for e in graph.events if e.access is not Access.READ and e.path == ("a",))
    return memory.follows(read, write)


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("x = a[i]\na[i] = x * x", Hit.SURE),
        ("x = a[i]\na[i + 1] = x", Hit.NONE),
        ("x = a[i]\na[m] = x", Hit.MAYBE),
        ("x = a[2 * i + 1]\na[i + i + 1] = x", Hit.SURE),
        ("x = a[ids[i]]\na[ids[i]] = x", Hit.SURE),
        ("x = a[ids[i]]\na[i] = x", Hit.MAYBE),
        ("a[i] = 1.0\nx = a[i]", Hit.NONE),
        ("if n > 1:\n    x = a[i]\nelse:\n    a[i] = 1.0", Hit.NONE),
        ("for j in range(n):\n    x = a[j]\n    a[j + 1] = x", Hit.NONE),
        ("for j in range(n):\n    x = a[j + 1]\n    a[j] = x", Hit.SURE),
        ("for j in range(n, 0, -1):\n    x = a[j]\n    a[j + 1] = x", Hit.SURE),
        ("for j in range(n):\n    a[j] = 1.0\n    x = a[j]", Hit.NONE),
        ("for j in range(n):\n    a[0] = 1.0\n    x = a[0]", Hit.SURE),
        ("for j in range(n):\n    x = a[2 * j]\n    a[2 * j + 1] = x", Hit.NONE),
        ("for j in range(n):\n    x = a[j]\nfor j in range(n):\n    a[j] = 1.0", Hit.SURE),
        ("for j in range(n):\n    x = a[j]\nfor j in range(m):\n    a[j] = 1.0", Hit.SURE),
        ("for j in range(m):\n    x = a[j]\nfor j in range(m, n):\n    a[j] = 1.0", Hit.MAYBE),
        ("for j in range(n):\n    x = a[j]\na[2] = 1.0", Hit.SURE),
        ("for j in range(3):\n    x = a[j]\na[5] = x", Hit.NONE),
        ("j = int(0)\nwhile j < n:\n    x = a[j]\n    a[j + 1] = x\n    j += 1", Hit.NONE),
        ("j = int(0)\nwhile j < n:\n    x = a[j + 1]\n    a[j] = x\n    j += 1", Hit.SURE),
        ("for j in range(n):\n    for k in range(m):\n        x = a[j]\n    a[j] = x", Hit.SURE),
    ],
)
def test_follows(tmp_path: Path, body: str, expected: Hit) -> None:
    assert first_pair(tmp_path, body) is expected
