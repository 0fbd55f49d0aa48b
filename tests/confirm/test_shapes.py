"""Kernels with structs, generics, closures, handles, tiles; and those that can't be run."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.confirm.support import SOURCES, options, verdicts
from warp_lint.findings import Status, Verdict

pytest.importorskip("warp")

CODES = {
    "wrong_struct_in_place": "ADJ102",
    "wrong_in_func": "ADJ101",
    "wrong_generic": "ADJ102",
    "wrong_neighbour": "ADJ110",
    "wrong_kinds": "ADJ102",
    "wrong_table": "ADJ102",
    "wrong_texture": "ADJ102",
    "plain_open": "ADJ104",
    "plain_returned": "ADJ104",
    "plain_pair": "ADJ104",
    "wrong_seldom": "ADJ102",
    "open_never": "ADJ102",
    "plain_wrong": "ADJ101",
    "plain_struct": "ADJ102",
}
RIGHT = [
    "constants",
    "struct",
    "array_of_structs",
    "imported",
    "generic",
    "static",
    "enum",
    "random",
    "string_annotations",
    "quaternions",
    "rows",
    "mesh",
    "races",
    "kinks",
    "method",
    "local_array",
    "made_by_a_function",
    "made_inside",
    "named_decorator",
]
WRONG = [
    "struct_in_place",
    "array_of_structs",
    "in_func",
    "loop",
    "break",
    "native",
    "generic",
    "neighbour",
    "tile",
    "inner",
    "made_by_a_function",
    "mesh_array",
    "kinds",
    "chain",
    "scan",
    "table",
    "texture",
    "settings",
    "seldom",
    "complete",
]
OPEN = {
    "data": "`DATA` can't be had without its program: it is computed by `open`",
    "missing": "`missing` can't be had without its program: "
    "`a_package_that_is_not_installed` is neither part of the project nor installed",
    "never": "no inputs tried reach this line",
    "forever": "the kernel ran too long",
    "crash": "the kernel crashed (SIGSEGV)",
    "integers": "no argument is an array of floating point numbers",
    "indexed": "`a` is an `indexedarray`",
    "disabled": "the backward pass of `open_disabled` is disabled",
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("cache")


@pytest.fixture(scope="module")
def shapes(folder: Path) -> dict[str, Verdict]:
    prefixes = ("right_", "wrong_", "open_", "plain_", "closure", "unknown", "linear_", "object_")
    places = {"open_never": "# never", "wrong_seldom": "# seldom"}
    return verdicts(SOURCES / "shapes.py", CODES, prefixes, options(folder), places)


@pytest.mark.parametrize("name", RIGHT)
def test_right_look_alikes_are_refuted(shapes: dict[str, Verdict], name: str) -> None:
    assert shapes[f"right_{name}"].status is Status.REFUTED, shapes[f"right_{name}"]


@pytest.mark.parametrize("name", WRONG)
def test_wrong_kernels_are_confirmed_with_numbers(shapes: dict[str, Verdict], name: str) -> None:
    verdict = shapes[f"wrong_{name}"]
    assert verdict.status is Status.CONFIRMED, verdict
    assert verdict.ad is not None and verdict.fd is not None and verdict.error is not None
    assert verdict.error > 0.01
    assert "[" in verdict.where


@pytest.mark.parametrize("name", OPEN)
def test_what_cant_be_run_is_inconclusive_and_says_why(shapes: dict[str, Verdict], name: str) -> None:
    verdict = shapes[f"open_{name}"]
    assert (verdict.status, verdict.reason) == (Status.INCONCLUSIVE, OPEN[name])


def test_code_that_warp_refuses_is_inconclusive(shapes: dict[str, Verdict]) -> None:
    verdict = shapes["open_broken"]
    assert verdict.status is Status.INCONCLUSIVE
    assert verdict.reason.startswith("it can't be compiled alone: `open_broken`: Could not find function")


def test_a_closure_takes_the_values_of_a_call_to_its_factory(shapes: dict[str, Verdict]) -> None:
    assert shapes["closure"].status is Status.REFUTED  # three passes are unrolled


def test_a_closure_over_an_unknown_value_is_run_with_one_that_the_verdict_names(shapes: dict[str, Verdict]) -> None:
    assert shapes["unknown"].status is Status.CONFIRMED  # twenty passes are rolled
    assert shapes["unknown"].method == (
        "central differences of the kernel alone, double precision, assuming `count` = 20"
    )


def test_what_agrees_only_with_a_made_up_value_is_not_refuted(shapes: dict[str, Verdict]) -> None:
    verdict = shapes["linear_unknown"]
    assert verdict.status is Status.INCONCLUSIVE
    assert verdict.reason.startswith("autodiff agrees on ") and "assuming `weight` = 0.5" in verdict.method


def test_a_closure_over_an_unknown_object_names_it(shapes: dict[str, Verdict]) -> None:
    assert shapes["object_unknown"] == Verdict(
        Status.INCONCLUSIVE,
        "`model.count` can't be had without its program: it is a parameter whose argument isn't known",
    )


def test_funcs_are_run_in_a_kernel_of_their_own(shapes: dict[str, Verdict]) -> None:
    assert shapes["plain_right"].status is Status.REFUTED
    assert (shapes["plain_wrong"].status, shapes["plain_wrong"].where) == (Status.CONFIRMED, "s")


def test_a_struct_of_arrays_goes_into_a_func_as_it_is(shapes: dict[str, Verdict]) -> None:
    assert shapes["plain_struct"].status is Status.CONFIRMED, shapes["plain_struct"]


def test_an_open_type_is_that_of_a_struct_with_the_fields(shapes: dict[str, Verdict]) -> None:
    verdict = shapes["plain_open"]
    assert verdict.status is Status.CONFIRMED and verdict.method.endswith("assuming `item`: `Inner`"), verdict


def test_what_an_objects_class_says_is_named(shapes: dict[str, Verdict]) -> None:
    assert shapes["wrong_settings"].method.endswith("assuming `settings.steps` = 20")
    assert shapes["wrong_complete"].method.endswith("assuming `settings` = Complete()")


@pytest.mark.parametrize("name", ["returned", "pair"])
def test_a_struct_returned_by_a_func_is_looked_into(shapes: dict[str, Verdict], name: str) -> None:
    assert shapes[f"plain_{name}"].status is Status.CONFIRMED, shapes[f"plain_{name}"]


def test_handles_are_tested_in_single_precision_and_the_rest_in_double(shapes: dict[str, Verdict]) -> None:
    single = {name for name, verdict in shapes.items() if "single precision" in verdict.method}
    assert single == {"right_mesh", "wrong_mesh_array", "wrong_texture"}


def test_nothing_is_left_of_processes_that_ended_early(shapes: dict[str, Verdict], folder: Path) -> None:
    assert shapes["open_crash"].reason.startswith("the kernel crashed")
    assert list((folder / "runs").iterdir()) == []
