"""Scopes of a file: what binds which names where."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from warp_lint.syntax.module import Lines, Module


def module(source: str) -> Module:
    return Module(Path("m.py"), "m.py", "m", source, ast.parse(source))


def kinds(source: str, name: str) -> list[str]:
    return [binding.kind for binding in module(source).scope.bindings.get(name, [])]


@pytest.mark.parametrize(
    ("source", "name", "expected"),
    [
        ("import a.b", "a", ["import"]),
        ("import a.b as c", "c", ["import"]),
        ("from . import x as y", "y", ["import"]),
        ("x = 1\nx += 2", "x", ["assign", "other"]),
        ("x: int = 1", "x", ["assign"]),
        ("a, (b, *c) = f()", "b", ["assign"]),
        ("a, (b, *c) = f()", "c", ["other"]),
        ("for i in x: pass", "i", ["other"]),
        ("with open(f) as g: pass", "g", ["other"]),
        ("try:\n    x = 1\nexcept E as e:\n    y = 2\nelse:\n    z = 3\nfinally:\n    w = 4", "e", ["other"]),
        ("try:\n    x = 1\nexcept E as e:\n    y = 2\nelse:\n    z = 3\nfinally:\n    w = 4", "w", ["assign"]),
        ("if (n := f()):\n    pass", "n", ["assign"]),
        ("y = [\n    q\n    for q in x\n]", "q", ["other"]),
        ("match v:\n    case 1:\n        m = 2", "m", ["assign"]),
        ("def f(): pass", "f", ["def"]),
        ("class C: pass", "C", ["class"]),
        ("while g(): h = 1", "h", ["assign"]),
    ],
)
def test_bindings(source: str, name: str, expected: list[str]) -> None:
    assert kinds(source, name) == expected


def test_nested_scopes() -> None:
    made = module("def f(a, *b, c=lambda d: d, **e):\n    g = a\n    class H:\n        def i(self): return g\n")
    names = {definition.qualname: sorted(definition.inner.bindings) for definition in made.definitions.values()}
    assert names == {"f": ["H", "a", "b", "c", "e", "g"], "f.<locals>.H": ["i"], "f.<locals>.H.i": ["self"]}
    assert [sorted(scope.bindings) for scope in made.lambda_scopes.values()] == [["d"]]


def test_class_names_are_hidden_from_methods() -> None:
    made = module("x = 1\nclass C:\n    x = 2\n    def m(self): return x\n")
    method = next(d for d in made.functions() if d.name == "m")
    found = method.inner.find("x")
    assert found is not None and found[0] is made.scope


def test_deep_nesting() -> None:
    depth = 90
    source = "".join("    " * k + f"if a{k}:\n" for k in range(depth)) + "    " * depth + "x = 1\n"
    assert kinds(source, "x") == ["assign"]


def test_columns_count_characters() -> None:
    made = module("é = 'ü'; y = 1\n")
    node = made.tree.body[1]
    assert made.location(node).column == 10
    assert made.segment(node) == "y = 1"


@pytest.mark.parametrize("text", ["", "\n", "a", "a\n", "a\n\nbc", "\n\nå💥\n"])
def test_lines_are_those_of_the_text(text):
    lines = Lines(text, text.split("\n"))
    assert list(lines) == text.split("\n") and len(lines) == len(text.split("\n"))
    assert [lines[-1], lines[0], lines[1:], lines[-2:]] == [
        text.split("\n")[-1],
        text.split("\n")[0],
        text.split("\n")[1:],
        text.split("\n")[-2:],
    ]
    with pytest.raises(IndexError):
        lines[len(lines)]


@pytest.mark.parametrize(
    ("source", "expected"),
    [("step", 1), ("steps", 0), ("_step", 0), ("step = step2", 1), ("step(step)", 2), ("step+step+step", 2), ("", 0)],
)
def test_mentions_are_whole_names_counted_up_to_a_limit(source: str, expected: int) -> None:
    made = Module(Path("m.py"), "m.py", "m", source, ast.parse("step"))
    assert made.mentions("step", 2) == expected
