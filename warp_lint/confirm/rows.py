"""Elements of a judged gradient beside their finite differences: which of them say something, and how far apart
the two are."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

EXACT = 0.05  # error of a difference, beside its array's gradient, above which it is noise

NOTHING = 1e-12  # what is smaller is zero


@dataclass(frozen=True, slots=True)
class Row:
    """`truth`: the difference, or where that doesn't tell the gradient of restored adjoints. `gap`: |AD - truth|
    beside the largest entry of the array's gradient. `measured`: whether `truth` is a difference."""

    name: str
    ad: float
    truth: float
    gap: float
    kink: bool
    measured: bool


def scale_of(parameter: dict[str, Any]) -> float:
    """The largest well-determined entry of an array's gradient."""
    known = [
        max(abs(r["fd"]), abs(r["ad"]))
        for r in parameter["elements"]
        if r["fd"] is not None
        and abs(r["ad"]) < float("inf")
        and not r["error"] > 0.5 * max(abs(r["fd"]), abs(r["ad"]))
    ]
    return float(max(known, default=0.0))


def exact(row: dict[str, Any], scale: float) -> bool:
    """Whether the difference of an element stands out of the rounding."""
    return row["fd"] is not None and not row["error"] > max(EXACT * max(scale, abs(row["fd"])), NOTHING)


def rows_of(backward: dict[str, Any]) -> Iterator[Row]:
    """Every element of a backward that can be shown."""
    for parameter in backward.get("parameters", ()):
        if parameter["seed"] and parameter["size"] == 1 and len(backward.get("parameters", ())) > 1:
            continue
        scale = scale_of(parameter)
        for row in parameter["elements"]:
            measured = exact(row, scale) and not row["kink"]
            truth = float(row["fd"] if measured else row["ideal"])
            size = max(scale, abs(truth), NOTHING)
            gap = abs(row["ad"] - truth) / size
            index = index_of(parameter, row["index"])
            yield Row(f"{parameter['name']}.grad[{index}]", row["ad"], truth, gap, bool(row["kink"]), measured)


def noisy(backward: dict[str, Any]) -> int:
    """Number of elements whose differences are left out, for rounding."""
    return sum(
        row["fd"] is not None and not row["kink"] and not exact(row, scale_of(parameter))
        for parameter in backward.get("parameters", ())
        for row in parameter["elements"]
    )


def index_of(parameter: dict[str, Any], flat: int) -> str:
    """A flat index as the array's indices."""
    index: list[int] = []
    for n in reversed([*parameter["shape"], *parameter["inner"]]):
        index.insert(0, flat % max(n, 1))
        flat //= max(n, 1)
    return ", ".join(map(str, index))
