"""The corpus: programs in the styles of the field, with planted errors and clean twins, against their labels.

Each program has a folder `bad`, a folder `good` and `labels.toml`: the entry file, the tolerance of its finite
differences, and the planted errors with the numbers measured with that error alone.
"""

from __future__ import annotations

import ast
import importlib.util
import sys
from pathlib import Path
from typing import Any

import pytest
from packaging.version import Version

from tests.rules.programs import agree, printed
from tests.rules.run_programs import Output, run
from warp_lint.codes import RULES
from warp_lint.config import Overrides
from warp_lint.engine import Request, lint

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

CORPUS = Path(__file__).resolve().parents[2] / "test_corpus"
NAMES = sorted(path.parent.name for path in CORPUS.glob("*/labels.toml"))
# Programs that look like errors and are right have no bad twin.
PAIRS = [name for name in NAMES if (CORPUS / name / "bad").is_dir()]
# The error is in the value of the loss, the gradient is right.
RIGHT_GRADIENT = {"ADJ413"}
NEEDS_TORCH = {"torch_lens"}
# Program, twin -> what the linter doesn't do yet.
KNOWN: dict[tuple[str, str], str] = {}

Place = tuple[str, int, str]


def labels(name: str) -> dict[str, Any]:
    return tomllib.loads((CORPUS / name / "labels.toml").read_text("utf-8"))


def planted(name: str) -> list[Place]:
    return sorted((label["file"], label["line"], label["code"]) for label in labels(name)["finding"])


def found(folder: Path) -> list[Place]:
    overrides = Overrides(target_warp=Version("1.19.0"))
    result = lint(Request(paths=[folder], overrides=overrides, cache=False))
    assert not result.errors
    return sorted(
        (Path(finding.location.path).resolve().relative_to(folder).as_posix(), finding.location.line, finding.code)
        for finding in result.findings
    )


def cases(twin: str) -> list[Any]:
    """One case per program that has the twin; what is not done yet is an expected failure."""
    return [
        pytest.param(
            name,
            marks=[pytest.mark.xfail(strict=True, reason=KNOWN[name, twin])] if (name, twin) in KNOWN else [],
        )
        for name in (PAIRS if twin == "bad" else NAMES)
    ]


@pytest.mark.parametrize("name", cases("bad"))
def test_planted_errors_are_found(name: str) -> None:
    assert found(CORPUS / name / "bad") == planted(name)


@pytest.mark.parametrize("name", cases("good"))
def test_clean_twin_is_silent(name: str) -> None:
    assert found(CORPUS / name / "good") == []


@pytest.fixture(scope="session")
def outputs() -> dict[Path, Output]:
    pytest.importorskip("warp")
    programs = [CORPUS / name / "bad" / labels(name)["entry"] for name in PAIRS]
    return run(programs + [CORPUS / name / "good" / labels(name)["entry"] for name in NAMES])


def output(name: str, twin: str, outputs: dict[Path, Output]) -> str:
    if name in NEEDS_TORCH and importlib.util.find_spec("torch") is None:
        pytest.skip("torch is not installed")
    one = outputs[CORPUS / name / twin / labels(name)["entry"]]
    assert one["code"] == 0, one["err"]
    return one["out"]


@pytest.mark.parametrize("name", NAMES)
def test_clean_twin_has_the_right_gradient(name: str, outputs: dict[Path, Output]) -> None:
    out = output(name, "good", outputs)
    assert agree(printed(out, "AD"), printed(out, "FD"), labels(name)["tolerance"]), out


@pytest.mark.parametrize("name", PAIRS)
def test_planted_errors_make_the_gradient_wrong(name: str, outputs: dict[Path, Output]) -> None:
    out = output(name, "bad", outputs)
    ad, fd = printed(out, "AD"), printed(out, "FD")
    assert len(ad) == len(fd) > 0
    assert not agree(ad, fd, labels(name)["tolerance"]), out


@pytest.mark.parametrize("name", NAMES)
def test_labels(name: str) -> None:
    """Each label names a rule and a statement, with numbers that show the error; without `bad` there are none."""
    assert bool(labels(name)["finding"]) == (name in PAIRS)
    for label in labels(name)["finding"]:
        assert label["code"] in RULES
        bad = (CORPUS / name / "bad" / label["file"]).read_text("utf-8")
        assert label["line"] in {node.lineno for node in ast.walk(ast.parse(bad)) if hasattr(node, "lineno")} | {
            decorator.lineno
            for node in ast.walk(ast.parse(bad))
            if isinstance(node, ast.FunctionDef)
            for decorator in node.decorator_list
        }
        right = agree(label["ad"], label["fd"], labels(name)["tolerance"])
        assert right == (label["code"] in RIGHT_GRADIENT), label


def test_twins_have_the_same_files() -> None:
    for name in PAIRS:
        bad, good = (
            {path.relative_to(CORPUS / name / twin) for path in (CORPUS / name / twin).rglob("*.py")}
            for twin in ("bad", "good")
        )
        assert bad == good
