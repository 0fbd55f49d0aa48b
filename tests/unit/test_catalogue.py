"""What belongs together: every rule has its page, programs, detector, tests and line in the changelog,
and the linter says of the programs exactly what their marks say."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.rules.programs import marks
from warp_lint import catalogue
from warp_lint.codes import RULES
from warp_lint.config import Overrides, parse_version
from warp_lint.engine import Request, lint

ROOT = Path(__file__).resolve().parents[2]
ABOUT_CODE = [code for code in RULES if code < "ADJ9"]
# Judged for a version of Warp that has the defect.
TARGETS = {"ADJ307": "1.16", "ADJ308": "1.12"}
# Only running the code shows it.
BY_CONFIRM = {"ADJ206"}

KNOWN_MISSES: dict[str, str] = {}


def program(code: str, name: str) -> Path:
    return ROOT / "rules" / RULES[code].directory / f"{name}.py"


def found(file: Path, code: str) -> list[tuple[str, int]]:
    """Everything that is reported, whatever its severity, for the version the rule is about."""
    target = parse_version(TARGETS.get(code, "1.19.0"))
    overrides = Overrides(extend_select=(code,), target_warp=target)
    result = lint(Request([file], overrides, cache=False))
    assert result.errors == []
    return [(finding.code, finding.location.line) for finding in result.findings]


def with_known_misses(code: str) -> object:
    reason = KNOWN_MISSES.get(code)
    return pytest.param(code, marks=pytest.mark.xfail(strict=True, reason=reason)) if reason else code


@pytest.mark.parametrize("code", [with_known_misses(code) for code in ABOUT_CODE])
def test_the_wrong_program_gets_its_finding_and_no_other(code):
    file = program(code, "bad")
    expected = marks(file)
    assert expected
    if code in BY_CONFIRM:
        assert found(file, code) == []
        return
    assert found(file, code) == expected


@pytest.mark.parametrize("code", ABOUT_CODE)
def test_the_right_program_gets_none(code):
    assert found(program(code, "good"), code) == []


@pytest.mark.parametrize("code", RULES)
def test_pages_are_found_and_shown(code):
    page = catalogue.page(RULES[code])
    assert page is not None
    assert page == catalogue.describe(RULES[code])
    assert page.startswith(f"# {RULES[code].name} ({code})\n")


@pytest.mark.parametrize("code", RULES)
def test_the_changelog_names_it(code):
    lines = (ROOT / "CHANGELOG.md").read_text("utf-8").splitlines()
    prefix = f"- new rule: {code} {RULES[code].name}: "
    assert [line for line in lines if line.startswith(prefix) and len(line) > len(prefix)] != []


@pytest.mark.parametrize("code", [code for code in ABOUT_CODE if code not in BY_CONFIRM])
def test_it_has_a_module_of_its_own(code):
    rule = RULES[code]
    module = f"{code.lower()}_{rule.name.replace('-', '_')}.py"
    assert (ROOT / "warp_lint" / "rules" / module).is_file()


@pytest.mark.parametrize("code", RULES)
def test_tests_name_it(code):
    here = Path(__file__)
    files = [file for file in (ROOT / "tests").rglob("test_*.py") if file != here]
    assert any(re.search(rf"\b{code}\b", file.read_text("utf-8")) for file in files)
