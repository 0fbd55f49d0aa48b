"""Shared by all tests: no test sees or leaves results in the user's cache."""

from __future__ import annotations

from pathlib import Path

import pytest


@pytest.fixture(autouse=True)
def _own_lint_cache(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WARP_LINT_CACHE_DIR", str(tmp_path_factory.getbasetemp() / "lint-cache"))
    monkeypatch.delenv("WARP_LINT_DEBUG", raising=False)


@pytest.fixture
def write(tmp_path: Path):
    """Make files below the test's folder: `write("a/b.py", "text")` returns the path."""

    def make(name: str, content: str | bytes = "") -> Path:
        file = tmp_path / name
        file.parent.mkdir(parents=True, exist_ok=True)
        if isinstance(content, bytes):
            file.write_bytes(content)
        else:
            file.write_text(content, "utf-8", newline="")
        return file

    return make
