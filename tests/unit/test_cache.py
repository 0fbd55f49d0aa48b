from __future__ import annotations

import json

import pytest

from warp_lint import cache
from warp_lint.findings import Finding, LintError, Location, Note, Severity, Subject

PLACE = Location("å.py", 3, 5, 3, 9)
FINDING = Finding(
    "ADJ101",
    "inplace-multiply",
    Severity.WARNING,
    PLACE,
    "message \udc80",
    "help",
    (Note(PLACE, "note"),),
    Subject("kernel", "f", "å.py", 2),
    "x *= 2",
)


@pytest.fixture
def entry(tmp_path):
    file = tmp_path / "dep.py"
    file.write_text("x = 1")
    return cache.Entry(
        [FINDING],
        [LintError("b.py", 1, 2, "bad", "ADJ901")],
        {str(file): cache.digest(b"x = 1")},
        {str(file): True, str(tmp_path / "absent.py"): False},
    )


def test_what_goes_in_comes_out(entry):
    cache.store("name", entry)
    assert cache.load("name") == entry
    assert cache.load("other") is None


def test_a_changed_dependency_ends_it(entry, tmp_path):
    cache.store("name", entry)
    (tmp_path / "dep.py").write_text("x = 2")
    assert cache.load("name") is None


def test_a_new_file_that_an_import_looked_for_ends_it(entry, tmp_path):
    cache.store("name", entry)
    (tmp_path / "absent.py").touch()
    assert cache.load("name") is None


@pytest.mark.parametrize("text", ["", "{", "[]", "null", "{}", '{"findings": 3}', "\x00", "[" * 100_000])
def test_a_damaged_entry_is_no_entry(entry, text):
    cache.store("name", entry)
    (cache.folder() / "name.json").write_text(text)
    assert cache.load("name") is None


def test_an_entry_of_another_shape_is_no_entry(entry):
    cache.store("name", entry)
    file = cache.folder() / "name.json"
    data = json.loads(file.read_text())
    data["findings"][0]["location"]["extra"] = 1
    file.write_text(json.dumps(data))
    assert cache.load("name") is None


def test_the_name_depends_on_everything(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    first = cache.key({"target": "1.19"}, {tmp_path / "a.py": "1"})
    assert first == cache.key({"target": "1.19"}, {tmp_path / "a.py": "1"})
    others = {
        cache.key({"target": "1.18"}, {tmp_path / "a.py": "1"}),
        cache.key({"target": "1.19"}, {tmp_path / "a.py": "2"}),
        cache.key({"target": "1.19"}, {tmp_path / "b.py": "1"}),
        cache.key({"target": "1.19"}, {tmp_path / "a.py": "1", tmp_path / "b.py": "1"}),
    }
    monkeypatch.setattr(cache, "__version__", "9")
    others.add(cache.key({"target": "1.19"}, {tmp_path / "a.py": "1"}))
    assert len(others) == 5 and first not in others


def test_a_place_that_cannot_be_written_is_no_error(entry, tmp_path, monkeypatch):
    (tmp_path / "file").touch()
    monkeypatch.setenv("WARP_LINT_CACHE_DIR", str(tmp_path / "file" / "sub"))
    cache.store("name", entry)
    assert cache.load("name") is None


def test_old_entries_go(entry, monkeypatch, tmp_path):
    monkeypatch.setenv("WARP_LINT_CACHE_DIR", str(tmp_path / "own"))
    monkeypatch.setattr(cache, "_KEEP", 8)
    for number in range(9):
        cache.store(f"n{number}", entry)
    assert len(list(cache.folder().iterdir())) == 6
    assert cache.load("n8") == entry
