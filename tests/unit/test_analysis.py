"""A defect in one part of the analysis costs the file it concerns, and no other."""

from __future__ import annotations

from pathlib import Path

import pytest

from warp_lint.analysis import Outcome, analyse
from warp_lint.settings import Settings
from warp_lint.syntax.project import Project

PROGRAM = """
import warp as wp

@wp.kernel
def square(a: wp.array(dtype=float), b: wp.array(dtype=float)):
    i = wp.tid()
    b[i] = a[i] * a[i]

@wp.kernel
def scale(b: wp.array(dtype=float), k: wp.array(dtype=float)):
    i = wp.tid()
    b[i] *= k[i]

a = wp.ones(4, requires_grad=True)
b = wp.zeros(4, requires_grad=True)
k = wp.ones(4, requires_grad=True)
tape = wp.Tape()
with tape:
    wp.launch(square, dim=4, inputs=[a], outputs=[b])
    wp.copy(a, b)
    wp.launch(scale, dim=4, inputs=[b, k])
tape.backward(grads={b: wp.ones(4)})
print(a.grad)
"""


def outcome_of(tmp_path: Path, *names: str) -> Outcome:
    texts = {tmp_path / name: PROGRAM for name in names}
    project = Project(tmp_path, lambda file: file.name)
    return analyse(project, texts, {}, Settings(), frozenset(texts))


def places(outcome: Outcome) -> set[tuple[str, str]]:
    return {(finding.location.path, finding.code[:4]) for finding in outcome.findings}


def errors(outcome: Outcome) -> list[tuple[str, str]]:
    return [(error.path, error.message.partition(" (")[0]) for error in outcome.errors]


def test_both_files_have_findings_of_host_and_kernel(tmp_path: Path) -> None:
    outcome = outcome_of(tmp_path, "one.py", "two.py")
    assert places(outcome) == {("one.py", "ADJ1"), ("two.py", "ADJ1"), ("one.py", "ADJ3"), ("two.py", "ADJ3")}
    assert errors(outcome) == []


def test_the_host_interpreter_fails(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from warp_lint import host

    follow = host.follow_project

    def failing(project, modules, settings, take):
        modules = list(modules)
        follow(project, modules, settings, take)
        if any(module.path == "one.py" for module in modules):
            raise AssertionError("broken")

    monkeypatch.setattr(host, "follow_project", failing)
    outcome = outcome_of(tmp_path, "one.py", "two.py")
    assert ("two.py", "ADJ3") in places(outcome)
    assert errors(outcome) == [("one.py", "internal error: AssertionError: broken")]


def test_the_rules_over_traces_fail(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from warp_lint.rules.tape import Judge

    add = Judge.add

    def failing(self, trace):
        if trace.entry.path == "one.py":
            raise AssertionError("broken")
        add(self, trace)

    monkeypatch.setattr(Judge, "add", failing)
    outcome = outcome_of(tmp_path, "one.py", "two.py")
    assert places(outcome) == {("one.py", "ADJ1"), ("two.py", "ADJ1"), ("two.py", "ADJ3")}
    assert errors(outcome) == [("one.py", "internal error: AssertionError: broken")]


def test_the_rules_in_kernels_fail(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from warp_lint.kernels import check

    check_module = check.check_module

    def failing(project, module, settings, activities):
        if module.path == "one.py":
            raise AssertionError("broken")
        return check_module(project, module, settings, activities)

    monkeypatch.setattr(check, "check_module", failing)
    outcome = outcome_of(tmp_path, "one.py", "two.py")
    assert places(outcome) == {("two.py", "ADJ1"), ("one.py", "ADJ3"), ("two.py", "ADJ3")}
    assert errors(outcome) == [("one.py", "internal error: AssertionError: broken")]
