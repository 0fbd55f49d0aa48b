"""The builtin table's format: lookup, binding of arguments, variants. No Warp needed."""

from __future__ import annotations

import pytest
from packaging.version import Version

from warp_lint.kernels.builtins import RESULT, Builtin, Gradient, Singular, Use, lookup
from warp_lint.kernels.builtins_table import ALIASES, TABLE

NAMES = sorted({key.partition("/")[0] for key in TABLE})


def entry(name: str) -> Builtin:
    found = lookup(name)
    assert found is not None
    return found


def test_unknown_names_have_no_entry() -> None:
    assert lookup("no_such_builtin") is None
    assert lookup("mul/transform") is None


@pytest.mark.parametrize("name", NAMES)
def test_every_line_parses(name: str) -> None:
    found = entry(name)
    assert found.name == name
    for variant in (found, *(other for _, other in found.variants)):
        names = [operand.name for operand in variant.operands]
        assert len(names) == len(set(names))
        assert sum(operand.variadic for operand in variant.operands) <= 1
        for operand in variant.operands:
            assert all(RESULT <= read < len(names) for read in operand.reads)
            assert not operand.reads or operand.gradient is Gradient.EXACT


def test_aliases_lead_to_entries() -> None:
    assert {alias for alias in ALIASES if lookup(alias) is None} == set()
    assert entry("vec3") is entry("vec3d") or entry("vec3") == entry("vec3d")
    assert entry("mat33").name == "matrix"


def test_reads_of_common_operations() -> None:
    reads = {
        name: [sorted(o.reads) for o in entry(name).operands] for name in ("add", "mul", "div", "exp", "sin", "pow")
    }
    assert reads == {
        "add": [[], []],
        "mul": [[1], [0]],
        "div": [[1], [RESULT, 1]],
        "exp": [[RESULT]],
        "sin": [[0]],
        "pow": [[0, 1], [RESULT, 0]],
    }


def test_gradients_of_flat_and_lost_operations() -> None:
    assert entry("floor").operands[0].gradient is Gradient.FLAT
    assert entry("frac").operands[0].gradient is Gradient.LOST
    assert entry("mod").operands[1].gradient is Gradient.LOST
    assert entry("transform_set_translation").operands[0].gradient is Gradient.LEAKED
    assert not entry("round").differentiable
    assert entry("where").differentiable


def test_variants_follow_the_type_classes() -> None:
    division = entry("div")
    assert division.of("scalar", "scalar") is division
    assert division.of() is division
    assert division.of(None, None) is division
    for classes in (("vec", "scalar"), ("scalar", "vec"), ("tile", "tile"), (None, "mat")):
        assert sorted(division.of(*classes).operands[1].reads) == [0, 1]
    assert sorted(entry("mul").of("transform", "transform").operands[0].reads) == [0, 1]
    assert sorted(entry("mul").of("transform", "scalar").operands[0].reads) == [1]
    assert entry("mod").of("vec").operands[0].gradient is Gradient.LOST


def test_number_of_operands_counts() -> None:
    assert entry("min").of("vec").result == "component"
    assert entry("min").of("vec", "vec").result == "first"
    assert entry("min").of() is entry("min")


def test_earlier_versions() -> None:
    noise = entry("curlnoise")
    assert noise.at(Version("1.16")) is noise
    assert noise.at(Version("1.13.1")).operands[1].gradient is Gradient.LOST
    assert entry("sign").of("vec").at(Version("1.13")).operands[0].gradient is Gradient.WRONG
    assert entry("sin").at(Version("1.12")) is entry("sin")
    assert entry("tile_sum").earlier[0].detail == "with an axis, on the CPU"
    assert entry("tile_sum").at(Version("1.17")) is entry("tile_sum")


def test_singular_points() -> None:
    assert entry("sqrt").singular[0] == Singular(0, "zero", False)
    assert entry("length").singular == (Singular(0, "zero-vector", True),)
    assert entry("pow").singular[0].detail == "power < 1, or active power"


def test_binding() -> None:
    assert entry("mul").bind(2) == (0, 1)
    assert entry("mul").bind(3) == (0, 1, None)
    assert entry("vec3").bind(3) == (0, 0, 0)
    assert entry("clamp").bind(1, ("high", "low")) == (0, 2, 1)
    assert entry("clamp").bind(1, ("ceiling",)) == (0, None)
    load = entry("tile_load")
    assert load.bind(1, ("shape", "offset")) == (0, 1, 2)


@pytest.mark.parametrize("dimensions", [1, 2, 3, 4])
def test_binding_of_indexed_access(dimensions: int) -> None:
    add = entry("atomic_add")
    bound = add.bind(dimensions + 2)
    assert bound == (0, *[1] * dimensions, 2)
    uses = [add.operands[k].use for k in bound if k is not None]
    assert uses == [Use.ACCUMULATE, *[Use.INDEX] * dimensions, Use.VALUE]
    assert add.changes == (0,)
