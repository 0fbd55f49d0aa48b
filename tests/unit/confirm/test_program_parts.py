"""Parts of the program confirmer that need no Warp."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from warp_lint.confirm.live.differences import settle
from warp_lint.confirm.live.intent import responsible, stopped
from warp_lint.confirm.live.internals import release, span
from warp_lint.confirm.live.memory import Saved, locate, merged, read, write
from warp_lint.confirm.live.sources import read_site
from warp_lint.confirm.live.steps import Site
from warp_lint.confirm.live.window import stored_first
from warp_lint.confirm.picture import picture
from warp_lint.confirm.places import statement
from warp_lint.confirm.verdicts import Proof, judge, merge, truth_of
from warp_lint.findings import Finding, Location, Note, Severity, Status
from warp_lint.report.html import render
from warp_lint.report.model import Report


def differences(function: Any, at: float, steps: list[float]) -> tuple[list[float], list[tuple[float, float]]]:
    base = function(at)
    up, down = [function(at + h) for h in steps], [function(at - h) for h in steps]
    centred = [(a - b) / (2 * h) for a, b, h in zip(up, down, steps, strict=True)]
    sides = [((base - b) / h, (a - base) / h) for a, b, h in zip(up, down, steps, strict=True)]
    return centred, sides


def test_settles_on_a_smooth_derivative() -> None:
    steps = [1e-3, 1e-4, 1e-5]
    found = settle(steps, *differences(np.sin, 0.5, steps), 1e-16)
    assert found.value == pytest.approx(np.cos(0.5), rel=1e-9)
    assert not found.kink
    assert found.admits(np.cos(0.5), 1e-6, 0.0)
    assert not found.admits(1.01 * np.cos(0.5), 1e-3, 0.0)


@pytest.mark.parametrize("steps", [[1e-3, 1e-4, 1e-5, 1e-6], [3e-2, 1e-2, 3e-3, 1e-3]])
@pytest.mark.parametrize(("slope", "power"), [(0.0, 1.5), (2.0, 1.25), (-3.0, 1.5)])
def test_the_derivative_at_an_edge_that_is_no_polynomial(steps: list[float], slope: float, power: float) -> None:
    def edge(x: float) -> float:
        return slope * x + x**power if x >= 0.0 else float("nan")

    found = settle(steps, *differences(edge, 0.0, steps), 0.0)
    assert found.value == pytest.approx(slope, abs=1e-6)
    assert found.known and found.error < 1e-6


@pytest.mark.parametrize("function", [np.sign, lambda x: float(x >= 0.0), lambda x: np.floor(x) + 2.0 * x])
def test_where_a_function_jumps_no_derivative_is_refused(function: Any) -> None:
    steps = [1e-3, 1e-4, 1e-5, 1e-6]
    found = settle(steps, *differences(function, 0.0, steps), 1e-16)
    assert found.kink and found.admits(0.0, 1e-3, 0.0) and found.admits(2.0, 1e-3, 0.0)
    assert not settle(steps, *differences(function, 2e-4, steps), 1e-16).admits(50.0, 1e-3, 0.0)


def test_no_derivative_at_an_edge_that_is_vertical() -> None:
    steps = [1e-3, 1e-4, 1e-5, 1e-6]

    def edge(x: float) -> float:
        return float(np.sqrt(x)) if x >= 0.0 else float("nan")

    assert not settle(steps, *differences(edge, 0.0, steps), 0.0).known


def test_a_kink_admits_what_lies_between_its_sides() -> None:
    steps = [1e-2, 1e-3, 1e-4]
    found = settle(steps, *differences(abs, 0.0, steps), 1e-16)
    assert found.kink
    assert found.admits(0.3, 1e-3, 0.0)
    assert not found.admits(1.5, 1e-3, 0.0)


def test_the_derivative_from_one_side_where_the_function_ends() -> None:
    steps = [1e-2, 1e-3, 1e-4]

    def edge(x: float) -> float:
        return 3.0 * x + x * x if x >= 0.0 else float("nan")

    found = settle(steps, *differences(edge, 0.0, steps), 1e-16)
    assert found.known and not found.kink
    assert found.value == pytest.approx(3.0, rel=1e-6)
    steep = settle(steps, *differences(lambda x: float(np.sqrt(x)) if x >= 0 else np.nan, 0.0, steps), 1e-16)
    assert not steep.known


def test_nothing_settles_on_infinities() -> None:
    assert not settle([1e-2, 1e-3], [np.inf, np.nan], [(0, 0), (0, 0)], 0.0).known


def test_extents_merge_where_they_overlap() -> None:
    assert merged([(0, 4), (4, 8), (6, 10), (20, 20)]) == [(0, 4), (4, 10)]
    assert [locate([(0, 4), (6, 10)], low) for low in (0, 3, 4, 6, 10)] == [0, 0, -1, 1, -1]
    assert span(100, (3, 2), (16, 4), 4) == (100, 140)
    assert span(100, (3,), (-8,), 4) == (84, 104)
    assert span(100, (0, 2), (16, 4), 4) == (100, 100)


def test_saved_memory_comes_back() -> None:
    values = np.arange(4.0)
    low = values.ctypes.data
    with Saved([(low, low + 16), (low + 8, low + 32)]):
        values[:] = -1.0
        write(low, read(low + 8, low + 16))
    assert values.tolist() == [0.0, 1.0, 2.0, 3.0]


@pytest.mark.parametrize(("text", "numbers"), [("1.19.0", (1, 19)), ("1.20.0.dev1", (1, 20)), ("odd", (0, 0))])
def test_release(text: str, numbers: tuple[int, int]) -> None:
    assert release(text) == numbers


def test_parameters_that_are_stored_first() -> None:
    source = (
        "@wp.kernel\n"
        "def k(a: wp.array(dtype=float), b: wp.array(dtype=float), s: State):\n"
        "    i = wp.tid()\n"
        "    b[i] = a[i]\n"
        "    s.q[i] = b[i]\n"
        "    a[i] = b[i] + s.q[i]\n"
        "    s.v[i] += a[i]\n"
    )
    kernel = SimpleNamespace(adj=SimpleNamespace(source=source))
    assert stored_first(kernel) == {("b",), ("s", "q")}


def test_a_literal_false_is_an_intention(tmp_path: Path) -> None:
    file = tmp_path / "p.py"
    file.write_text(
        "a = wp.zeros(3)  # inherits requires_grad=False\n"
        "b = wp.clone(\n    a,\n    requires_grad=False,\n)\n"
        "c = wp.clone(a, requires_grad=flag)\n"
    )
    assert [stopped(Site(str(file), line)) for line in (1, 2, 4, 6)] == [False, True, True, False]
    assert not stopped(Site(str(tmp_path / "absent.py"), 1))


def backward(number: int, status: str, culprits: list[dict[str, Any]]) -> dict[str, Any]:
    row = {"index": 1, "ad": 2.0, "ideal": 4.0, "fd": 4.0, "error": 1e-9, "kink": False}
    return {
        "event": "backward",
        "number": number,
        "status": status,
        "reason": "",
        "tape": 1,
        "site": ["p.py", 9],
        "launches": 2,
        "parameters": [
            {"name": "a", "size": 2, "shape": [2], "inner": [], "seed": False, "elements": [row], "directions": []}
        ],
        "culprits": culprits,
    }


CULPRIT = {
    "code": "ADJ301",
    "kind": "overwritten",
    "site": ["p.py", 7],
    "array": "y",
    "actor": "evolve",
    "read": ["p.py", 6],
    "reader": "evolve",
    "needed": ["p.py", 1],
    "path": [],
    "effect": {"parameter": "a", "element": 1, "relative": 0.5},
}


def test_proofs_of_several_backwards_are_one() -> None:
    proofs = merge([backward(1, "wrong", [CULPRIT]), backward(2, "wrong", [CULPRIT])], [])
    assert len(proofs) == 1
    assert (proofs[0].ad, proofs[0].fd, proofs[0].where, proofs[0].count) == (2.0, 4.0, "a.grad[1]", 2)
    assert proofs[0].error == pytest.approx(0.5)


def test_numbers_of_a_wrong_adjoint_are_its_own() -> None:
    rows = [("r", -2.0, -3.0, -3.0), ("b", -1.8, -1.8, -1.3)]
    item = backward(1, "wrong", [CULPRIT, ADJOINT])
    item["parameters"] = [
        {"name": name, "size": 1, "shape": [1], "inner": [], "seed": False, "directions": [],
         "elements": [{"index": 0, "ad": ad, "ideal": ideal, "fd": fd, "error": 1e-6, "kink": False}]}
        for name, ad, ideal, fd in rows
    ]  # fmt: skip
    found = {proof.kind: proof for proof in merge([item], [])}
    assert (found["adjoint"].where, found["adjoint"].ad, found["adjoint"].fd) == ("b.grad[0]", -1.8, -1.3)
    item["culprits"] = [ADJOINT]
    alone = merge([item], [])[0]
    assert (alone.where, alone.ad, alone.fd) == ("r.grad[0]", -2.0, -3.0)
    item["culprits"] = [{**ADJOINT, "array": name, "kernel": name, "site": ["p.py", i]} for i, name in enumerate("rb")]
    assert [(proof.where, proof.ad) for proof in merge([item], [])] == [("r.grad[0]", -2.0), ("b.grad[0]", -1.8)]


ADJOINT = {"code": "", "kind": "adjoint", "site": ["p.py", 1], "array": "b", "actor": "lift", "kernel": "lift"}


def finding(code: str, line: int) -> Finding:
    return Finding(code, "", Severity.WARNING, Location("p.py", line, 1, line, 5), "")


STEPS = {
    "steps": [{"kind": "launch", "site": ["p.py", line], "path": [], "touches": []} for line in (6, 7, 8)],
    "total": 3,
}


def test_findings_get_verdicts() -> None:
    backwards = [backward(1, "wrong", [CULPRIT])]
    static = [finding("ADJ301", 7), finding("ADJ404", 8), finding("ADJ404", 30)]
    found = judge(static, merge(backwards, []), backwards, STEPS, None)
    assert [f.verdict.status for f in found if f.verdict] == [Status.CONFIRMED, Status.REFUTED, Status.UNTESTED]


def test_right_gradients_refute_but_zeros_do_not() -> None:
    right = backward(1, "right", [])
    zeros = {**right, "reason": "every gradient is zero here"}
    for item, status in ((right, Status.REFUTED), (zeros, Status.INCONCLUSIVE)):
        found = judge([finding("ADJ301", 7)], [], [item], STEPS, None)
        assert [f.verdict.status for f in found if f.verdict] == [status]


def test_statement_of_a_line(tmp_path: Path) -> None:
    file = tmp_path / "p.py"
    file.write_text("@wp.kernel\ndef k(\n    a: int,\n):\n    x = (\n        1\n    )\n")
    path = str(file)
    assert statement(path, 1) == Location(path, 2, 5, 2, 6)
    assert statement(path, 6) == Location(path, 5, 5, 7, 6)
    assert statement(str(tmp_path / "absent.py"), 3) == Location(str(tmp_path / "absent.py"), 3, 1, 3, 2)


def touch(name: str, low: int, wrote: bool) -> dict[str, Any]:
    return {"path": [name], "name": name, "low": low, "high": low + 8, "delta": 64, "wrote": wrote}


def launch(line: int, *touches: dict[str, Any]) -> dict[str, Any]:
    return {
        "kind": "launch",
        "detail": "",
        "site": ["p.py", line],
        "path": [],
        "recorded": True,
        "kernel": ["evolve", "p.py", 1],
        "touches": list(touches),
    }


def test_picture_marks_the_overwrite() -> None:
    enter = {"kind": "tape", "detail": "enter", "value": 1, "site": ["p.py", 5], "path": [], "touches": []}
    end = {"kind": "backward", "detail": "", "site": ["p.py", 9], "path": [], "recorded": False, "touches": []}
    rows = [
        enter,
        launch(6, touch("states[0]", 0, False), touch("states[1]", 8, True)),
        launch(7, touch("states[1]", 8, False), touch("states[0]", 0, True)),
        end,
    ]
    backwards = [backward(1, "wrong", [CULPRIT])]
    data = picture({"steps": rows, "total": 4}, merge(backwards, []), backwards)
    assert [c["name"] for c in data["columns"]] == ["evolve", "evolve", "backward"]
    assert [(lane["name"], lane["arrays"]) for lane in data["lanes"]] == [("states[]", 2)]
    assert [(arc["from"], arc["to"]) for arc in data["arcs"]] == [(0, 1)]


def test_page_escapes_and_stands_alone() -> None:
    proof = Proof("ADJ301", "overwritten", ("<p>.py", 7), 1, array="<y>", actor="k", reader="k", ad=1.0, fd=2.0)
    program = {
        "program": ["a.py", "<x>"],
        "status": "wrong",
        "sentence": "gradients are wrong",
        "ended": "ended with exit code 0",
        "seconds": 1.0,
        "checking_seconds": 0.5,
        "notes": ["a & b"],
        "backwards": [backward(1, "wrong", [])],
        "proofs": [proof.to_json()],
        "tape": {},
    }
    page = render(Report((finding("ADJ301", 7),), (), "1.19.0", 1, lambda path: None, program=program))
    assert "<y>" not in page and "&lt;y&gt;" in page
    assert "http" not in page
    assert "a &amp; b" in page
    assert page.count("<svg") == page.count("</svg>") == 1


def test_a_proof_is_about_the_finding_at_its_own_line() -> None:
    """Two arrays cleared at neighbouring lines, both read by one launch; a kin rule at the reader."""
    reader = ("p.py", 8)
    proofs = [
        Proof("ADJ303", "overwritten", ("p.py", 6), 1, "mass", read=reader, ad=1.0, fd=2.0),
        Proof("ADJ303", "overwritten", ("p.py", 7), 1, "momentum", read=reader, ad=3.0, fd=4.0),
    ]
    note = (Note(Location("p.py", 8, 1, 8, 5), "read here"),)
    static = [replace(finding(code, line), notes=note) for code, line in (("ADJ303", 7), ("ADJ303", 6), ("ADJ301", 8))]
    found = judge(static, proofs, [backward(1, "wrong", [])], STEPS, None)
    assert [(f.verdict.ad, f.verdict.fd) for f in found[:2] if f.verdict] == [(3.0, 4.0), (1.0, 2.0)]
    assert found[2].verdict is not None and found[2].verdict.status is Status.REFUTED
    assert len(found) == 3
    # A kin rule is confirmed where nothing fits better.
    found = judge(static[2:], proofs[:1], [backward(1, "wrong", [])], STEPS, None)
    assert [f.verdict.status for f in found if f.verdict] == [Status.CONFIRMED]


def test_weak_proofs_make_no_findings() -> None:
    proof = Proof("ADJ407", "view", ("p.py", 7), 1, "x", read=("p.py", 6), ad=0.0, fd=2.0, weak=True)
    assert judge([], [proof], [], STEPS, None) == []
    found = judge([finding("ADJ407", 7)], [proof], [], STEPS, None)
    assert [(f.code, f.verdict.status) for f in found if f.verdict] == [("ADJ407", Status.CONFIRMED)]


def test_what_was_measured_is_a_finding_even_without_a_rule_that_knows_why() -> None:
    proof = Proof("", "adjoint", ("p.py", 7), 1, actor="k", kernel="k", ad=2.0, fd=3.0, where="x.grad[0]")
    (found,) = judge([], [proof], [backward(1, "wrong", [])], STEPS, None)
    assert (found.code, found.severity, found.location.line) == ("ADJ206", Severity.ERROR, 7)
    assert found.verdict is not None and (found.verdict.status, found.verdict.ad) == (Status.CONFIRMED, 2.0)


HELPERS = """
import warp as wp

def make(n, grad=False):
    return wp.zeros(n, requires_grad=grad)

def build(n, **options):
    return wp.zeros(n, **options)

a = make(3)
b = build(3)
c = wp.zeros(3)
"""


def test_helpers_that_hand_on_are_not_to_blame(tmp_path: Path) -> None:
    path = tmp_path / "helpers.py"
    path.write_text(HELPERS)
    lines = {text: number for number, text in enumerate(HELPERS.splitlines(), 1)}
    made, built = (Site(str(path), lines[text]) for text in
                   ("    return wp.zeros(n, requires_grad=grad)", "    return wp.zeros(n, **options)"))  # fmt: skip
    outer = [Site(str(path), lines[text]) for text in ("a = make(3)", "b = build(3)", "c = wp.zeros(3)")]
    assert responsible((outer[0], made)) == outer[0]
    assert responsible((outer[1], built)) == outer[1]
    assert responsible((outer[2],)) == outer[2]
    assert responsible((outer[0], outer[2])) == outer[2]


def test_truth_where_differences_do_not_tell() -> None:
    row = {"ad": 0.1, "ideal": 0.2, "fd": 0.0, "error": 400.0, "kink": False}
    assert truth_of(row) == 0.2
    assert truth_of({**row, "fd": 0.3, "error": 0.01}) == 0.3
    assert truth_of({**row, "fd": 0.3, "error": 0.01, "kink": True}) == 0.2
    assert truth_of({**row, "fd": None, "error": None}) == 0.2


def test_a_check_that_died_left_no_numbers() -> None:
    """Its backward pass is told with the reason; there is nothing to tabulate."""
    from warp_lint.confirm.program import ProgramReport
    from warp_lint.report.program import render as told

    died = {
        key: value for key, value in backward(2, "inconclusive", []).items() if key not in ("parameters", "culprits")
    }
    died["reason"] = "the check took more than 3 s"
    for backwards in ([died], [backward(1, "right", []), died]):
        report = ProgramReport(["a.py"], status="inconclusive", sentence="gradients could not be judged")
        report.backwards = backwards
        text = "\n".join(told(report))
        assert "gradients could not be judged" in text
        page = render(Report((), (), "1.19.0", 1, lambda path: None, program=report.to_json()))
        assert "gradients could not be judged" in page


@pytest.mark.parametrize(
    ("parameter", "line"),
    [(("a",), 14), (("s", "x"), 15), (("b",), 16), (("c",), 17), (("d",), 11), (("grid",), 18), (("out",), 18)],
)
def test_where_a_kernel_reads_what_its_adjoint_needs(parameter: tuple[str, ...], line: int) -> None:
    source = """
    @wp.kernel
    def step(a: wp.array(dtype=float), b: A, c: A, d: A, s: S, grid: B, out: A):
        out[0] = 1.0
        x = a[0] + a[1]
        y = s.x[wp.tid()] + s.y[0]
        b[wp.tid()] *= x
        z = blend(c, x)
        out[wp.tid()] = y + grid[0, 1][2] + out[3] + a[2]
    """
    adj = SimpleNamespace(filename="p.py", fun_lineno=11, source=source)
    step: Any = SimpleNamespace(kernel=SimpleNamespace(adj=adj), site=Site("p.py", 99))
    found = read_site(step, parameter)
    assert found == ("p.py", line)
