"""Conditions that exclude each other: opposite arms of one branch, or comparisons that cannot both hold."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from warp_lint.kernels.graph import Guard, Loop, Value
from warp_lint.kernels.linear import Linear, Symbol, combine, linear, scaled

_OPPOSITE = {"lt": "ge", "ge": "lt", "gt": "le", "le": "gt", "eq": "ne", "ne": "eq"}
_MIRRORED = {"lt": "gt", "gt": "lt", "ge": "le", "le": "ge", "eq": "eq", "ne": "ne"}
_FAR = 1 << 62


@dataclass(frozen=True, slots=True)
class Fact:
    """A sum of integers that lies in `low` to `high`, and isn't `hole`."""

    terms: tuple[tuple[Symbol, int], ...]
    low: int = -_FAR
    high: int = _FAR
    hole: int | None = None

    def excludes(self, other: Fact) -> bool:
        if self.terms != other.terms:
            return False
        low, high = max(self.low, other.low), min(self.high, other.high)
        return low > high or (low == high and low in (self.hole, other.hole))


def facts(guard: Guard) -> tuple[Fact, ...]:
    """What a guard says of integers."""
    if guard.facts is None:
        guard.facts = tuple(_facts(guard.condition, guard.arm))
    known: tuple[Fact, ...] = guard.facts
    return known


def _facts(condition: Value, arm: bool) -> list[Fact]:
    while condition.op in ("copy", "arg") and condition.args:
        condition = condition.args[0]
    if condition.op != "call":
        return []
    name, args = condition.name, condition.args
    if name == "unot" and len(args) == 1:
        return _facts(args[0], not arm)
    if name == ("and" if arm else "or"):
        return [fact for part in args for fact in _facts(part, arm)]
    if name not in _OPPOSITE or len(args) != 2 or not all(a.type.is_integral and not a.type.is_object for a in args):
        return []
    form = combine(linear(args[0]), linear(args[1]), -1)
    if not form.terms:
        return []
    if form.terms[0][1] < 0:
        form, name = scaled(form, -1), _MIRRORED[name]
    return [_fact(form, name if arm else _OPPOSITE[name])]


def _fact(form: Linear, name: str) -> Fact:
    bound = -form.constant
    if name == "eq":
        return Fact(form.terms, bound, bound)
    if name == "ne":
        return Fact(form.terms, hole=bound)
    if name in ("lt", "le"):
        return Fact(form.terms, high=bound - (name == "lt"))
    return Fact(form.terms, low=bound + (name == "gt"))


def vanishes(form: Linear, guards: Sequence[Guard]) -> bool:
    """Is a sum of integers zero where guards hold? (`i == n - 1`, or `i == 0 and j == 0`)"""
    pinned: dict[Symbol, int] = {}
    for guard in guards:
        for fact in facts(guard):
            if fact.low != fact.high:
                continue
            given = Linear(fact.terms, -fact.low)
            if form in (given, scaled(given, -1)):
                return True
            if len(fact.terms) == 1 and fact.terms[0][1] == 1:
                pinned[fact.terms[0][0]] = fact.low
    if any(symbol not in pinned for symbol, _ in form.terms):
        return False
    return form.constant + sum(factor * pinned[symbol] for symbol, factor in form.terms) == 0


def opposed(left: Guard, right: Guard) -> bool:
    """Can two guards not hold both (in the same pass of all loops)?"""
    if left.arm != right.arm and (left.branch == right.branch or left.condition is right.condition):
        return True
    return any(one.excludes(other) for one in facts(left) for other in facts(right))


def exclusive(left: Sequence[Guard], right: Sequence[Guard], moving: Collection[Loop] = ()) -> bool:
    """Can two sets of guards not hold both, whatever the passes of the `moving` loops are?"""
    if not left or not right:
        return False
    for one in left:
        for other in right:
            if one is other or (one.branch == other.branch and one.arm == other.arm):
                continue
            if opposed(one, other) and not any(
                loop in moving for guard in (one, other) for loop in guard.condition.loops
            ):
                return True
    return False
