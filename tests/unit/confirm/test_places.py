"""Places in files: what a recorded run asks for thousands of times."""

from __future__ import annotations

import ast
from pathlib import Path
from typing import Any

import pytest

from warp_lint.confirm import places


def test_a_file_is_searched_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "many.py"
    path.write_text("def f():\n    x = 1\n    y = 2\n    return x + y\n")
    walks = 0
    walk = ast.walk

    def counted(node: ast.AST) -> Any:
        nonlocal walks
        walks += isinstance(node, ast.Module)
        return walk(node)

    monkeypatch.setattr(ast, "walk", counted)
    found = [places.statement(str(path), line).line for _ in range(50) for line in (1, 2, 3, 4)]
    assert found == [1, 2, 3, 4] * 50
    assert all(places.name_at(str(path), line) == "f" for line in (1, 2, 3, 4))
    assert walks == 1
