"""The catalogue's programs do what their pages say: bad ones have a wrong gradient, good ones a right one."""

from __future__ import annotations

import importlib.util
from pathlib import Path

import pytest

from tests.rules.programs import agree, marks, printed
from tests.rules.run_programs import Output, run
from warp_lint.codes import RULES

CATALOGUE = Path(__file__).resolve().parents[2] / "rules"
CODES = [code for code in RULES if code < "ADJ9"]
HEADINGS = [
    "What it does",
    "Why the gradient is wrong",
    "Example",
    "How to fix",
    "What stays silent",
    "Limits",
    "Versions",
]
# Wrong on older versions of Warp only.
OLD_WARP_ONLY = {"ADJ307", "ADJ308"}
# Correct gradients: of a staircase, and of a loss whose value is wrong.
RIGHT_GRADIENT = {"ADJ503", "ADJ413"}
NEEDS_TORCH = {"ADJ412"}


def program(code: str, name: str) -> Path:
    return CATALOGUE / RULES[code].directory / f"{name}.py"


@pytest.fixture(scope="session")
def outputs() -> dict[Path, Output]:
    pytest.importorskip("warp")
    return run([program(code, name) for code in CODES for name in ("bad", "good")])


def skip_without_torch(code: str) -> None:
    if code in NEEDS_TORCH and importlib.util.find_spec("torch") is None:
        pytest.skip("torch is not installed")


@pytest.mark.parametrize("code", CODES)
def test_bad_program(code: str, outputs: dict[Path, Output]) -> None:
    output = outputs[program(code, "bad")]
    assert output["code"] == 0, output["err"]
    skip_without_torch(code)
    ad, fd = printed(output["out"], "AD"), printed(output["out"], "FD")
    assert len(ad) == len(fd) > 0
    assert agree(ad, fd) == (code in OLD_WARP_ONLY | RIGHT_GRADIENT), output["out"]


@pytest.mark.parametrize("code", CODES)
def test_good_program(code: str, outputs: dict[Path, Output]) -> None:
    output = outputs[program(code, "good")]
    assert output["code"] == 0, output["err"]
    skip_without_torch(code)
    assert agree(printed(output["out"], "AD"), printed(output["out"], "FD"), 1e-4), output["out"]


def test_flat_program_has_a_trend(outputs: dict[Path, Output]) -> None:
    bad, good = (outputs[program("ADJ503", name)]["out"] for name in ("bad", "good"))
    assert not any(printed(bad, "AD") + printed(bad, "FD"))
    assert any(printed(good, "AD"))


def test_loss_value_accumulates(outputs: dict[Path, Output]) -> None:
    for name, same in (("bad", False), ("good", True)):
        line = next(line for line in outputs[program("ADJ413", name)]["out"].splitlines() if line.startswith("loss"))
        reported, afresh = line.removeprefix("loss = ").split(" and afresh: ")
        assert (float(reported) == float(afresh)) == same


@pytest.mark.parametrize("code", CODES)
def test_page_shows_the_numbers(code: str, outputs: dict[Path, Output]) -> None:
    skip_without_torch(code)
    page = (CATALOGUE / RULES[code].directory / "README.md").read_text("utf-8")
    _, _, block = page.partition("```text\n$ python bad.py\n")
    bad, _, good = block.partition("```")[0].partition("$ python good.py\n")
    for name, shown in (("bad", bad), ("good", good)):
        measured = outputs[program(code, name)]["out"]
        for label in ("AD", "FD"):
            on_page = printed(shown, label)
            assert on_page, (name, label)
            assert on_page == pytest.approx(printed(measured, label), rel=1e-3, abs=1e-4, nan_ok=True), (name, label)


@pytest.mark.parametrize("code", CODES)
def test_marks(code: str) -> None:
    assert {marked for marked, _ in marks(program(code, "bad"))} == {code}
    assert not marks(program(code, "good"))


@pytest.mark.parametrize("code", list(RULES))
def test_page_structure(code: str) -> None:
    lines = (CATALOGUE / RULES[code].directory / "README.md").read_text("utf-8").splitlines()
    assert lines[0] == f"# {RULES[code].name} ({code})"
    assert [line[3:] for line in lines if line.startswith("## ")] == HEADINGS
    assert max(map(len, lines)) <= 120


def test_no_stray_folders() -> None:
    assert {path.name for path in CATALOGUE.iterdir() if path.is_dir()} == {rule.directory for rule in RULES.values()}
