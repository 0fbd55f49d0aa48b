"""Reasoning about values: which operations can meet their singular point, and what protects them."""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from dataclasses import dataclass

from warp_lint.kernels.builtins import Gradient, Singular
from warp_lint.kernels.graph import Guard, Value
from warp_lint.kernels.inspection import Inspection, through
from warp_lint.kernels.linear import combine, linear

_PASSING = frozenset(("copy", "arg", "ret", "index"))
_SQUARES = frozenset(("dot", "length_sq"))
_NONNEGATIVE = frozenset(("abs", "length", "length_sq", "sqrt", "norm_l2", "norm_l1", "exp", "cosh", "acos"))
_POSITIVE = frozenset(("exp", "cosh"))
_CASTS = frozenset(("float", "float16", "float32", "float64"))
_DEPTH = 24


@dataclass(slots=True)
class Hazard:
    """An operation whose adjoint is infinite or NaN at a point that its operand may reach."""

    value: Value
    operand: Value
    singular: Singular


def same(value: Value, depth: int = 0) -> Hashable:
    """A key that is equal for values computed in the same way from the same things."""
    value = _behind(value)
    if value.const is not None:
        return ("const", value.const)
    if value.type.is_integral and not value.type.is_object:
        return linear(value)
    if depth > 12:
        return value.id
    if value.op == "call":
        return (value.name, tuple(same(a, depth + 1) for a in value.args))
    if value.op == "load" and value.event is not None:
        indices = tuple(None if i is None else linear(i) for i in value.event.indices)
        return ("load", value.path, indices, value.event.component, value.extra)
    if value.op == "param":
        return ("param", value.path)
    if value.op == "index" and value.key is not None:
        return ("index", same(value.args[0], depth + 1), value.key)
    return value.id


def _behind(value: Value) -> Value:
    """The value behind copies, calls and casts between floating types."""
    for _ in range(_DEPTH):
        if (
            value.op in ("copy", "arg")
            or (value.op == "ret" and len(value.args) == 1)
            or (value.op == "call" and value.name in _CASTS and len(value.args) == 1 and value.args[0].type.floating)
        ):
            value = value.args[0]
        else:
            return value
    return value


def _captured(value: Value, through: tuple[str, ...] = ()) -> bool:
    """A constant from outside whose value isn't known, such as a package's: taken for a tolerance, above zero."""
    value = _behind(value)
    while value.op == "call" and (value.name in _CASTS or value.name in through) and len(value.args) == 1:
        value = value.args[0]
    return value.const is None and value.op in ("const", "function") and value.type.kind in ("unknown", "function")


def atoms(value: Value, limit: int = 60) -> set[Hashable]:
    """Keys of the loads, parameters and carried values that a value is computed from."""
    found: set[Hashable] = set()
    seen: set[int] = set()
    pending = [value]
    while pending and len(seen) < limit:
        node = pending.pop()
        if node.id in seen:
            continue
        seen.add(node.id)
        if node.op == "load":
            found.add(same(node))
        elif node.op == "param":
            if node.type.kind not in ("struct", "unknown"):
                found.add(("value", node.path))
        elif node.op in ("carry", "after", "opaque"):
            found.add(("value", node.id))
        else:
            pending.extend(node.args)
    return found


def nonnegative(value: Value, depth: int = 0) -> bool:
    value = _behind(value)
    if isinstance(value.const, (int, float)):
        return value.const >= 0
    if depth > _DEPTH or value.op != "call":
        return value.op == "phi" and depth < _DEPTH and all(nonnegative(a, depth + 1) for a in value.args[1:])
    name, args = value.name, value.args
    if name in _NONNEGATIVE:
        return True
    if name == "dot":
        return same(args[0]) == same(args[1])
    if name == "mul":
        return same(args[0]) == same(args[1]) or all(nonnegative(a, depth + 1) for a in args)
    if name in ("add", "div"):
        return all(nonnegative(a, depth + 1) for a in args)
    if name == "max":
        return any(nonnegative(a, depth + 1) for a in args)
    if name == "min":
        return all(nonnegative(a, depth + 1) for a in args)
    if name == "clamp" and len(args) == 3:
        return nonnegative(args[1], depth + 1)
    if name in ("pow", "sin", "cos"):
        return name == "pow" and args[1].const == 2
    return False


def positive(value: Value, depth: int = 0) -> bool:
    """Is a value surely above zero, whatever the inputs are?"""
    value = _behind(value)
    if isinstance(value.const, (int, float)):
        return value.const > 0
    if depth > _DEPTH:
        return False
    if _captured(value):
        return True
    if value.op == "phi":
        return all(positive(a, depth + 1) for a in value.args[1:])
    if value.op != "call":
        return False
    name, args = value.name, value.args
    if name in _POSITIVE:
        return True
    if name == "add":
        one, two = args[0], args[1]
        return (positive(one, depth + 1) and (nonnegative(two, depth + 1) or _offset(one, two))) or (
            positive(two, depth + 1) and (nonnegative(one, depth + 1) or _offset(two, one))
        )
    if name in ("mul", "div"):
        return all(positive(a, depth + 1) for a in args)
    if name == "max":
        return any(positive(a, depth + 1) for a in args)
    if name == "min":
        return all(positive(a, depth + 1) for a in args)
    if name == "clamp" and len(args) == 3:
        return positive(args[1], depth + 1)
    if name == "sqrt":
        return positive(args[0], depth + 1)
    if name in ("float", "float16", "float32", "float64") and args:
        return positive(args[0], depth + 1)
    return False


def _offset(constant: Value, other: Value) -> bool:
    """`x + eps`: written to stay off zero, so x is taken to be nonnegative."""
    return isinstance(_behind(constant).const, (int, float)) and _behind(other).op != "call"


def protected(operand: Value, guards: tuple[Guard, ...]) -> bool:
    """Does a condition around the operation look at what the operand is made of?"""
    if not guards:
        return False
    wanted = atoms(operand)
    return any(_looks_at(guard.condition, wanted) for guard in guards)


def _looks_at(condition: Value, wanted: set[Hashable]) -> bool:
    return bool(wanted & atoms(condition))


def replaced(operand: Value, depth: int = 0) -> bool:
    """`where(x > 0, x, 1)`, `x if x > 0 else 1`: the adjoint of a bad point goes to the constant instead."""
    operand = _behind(operand)
    selects = operand.op == "phi" or (operand.op == "call" and operand.name in ("where", "select"))
    if not selects or len(operand.args) != 3:
        return False
    condition, *arms = operand.args
    if not any(_behind(arm).const is not None or _captured(arm, ("neg",)) for arm in arms):
        return False
    wanted: set[Hashable] = set()
    for arm in arms:
        wanted |= atoms(arm)
    return _looks_at(condition, wanted)


def apart(vector: Value, guards: tuple[Guard, ...] = ()) -> bool:
    """The difference of two elements of one array that cannot be the same element: particles, which keep apart.

    `guards`: conditions where the difference is used, which may come after it.
    """
    vector = _behind(vector)
    if vector.op != "call" or vector.name != "sub" or len(vector.args) != 2:
        return False
    one, two = _behind(vector.args[0]), _behind(vector.args[1])
    if one.op != "load" or two.op != "load" or one.path != two.path or one.event is None or two.event is None:
        return False
    pairs = zip(one.event.indices, two.event.indices, strict=False)
    return any(a is not None and b is not None and _differ(a, b, (*vector.guards, *guards)) for a, b in pairs)


def _differ(one: Value, two: Value, guards: tuple[Guard, ...]) -> bool:
    """Can two indices not be equal, as far as the kernel says? All pairs of a loop can, without a condition."""
    difference = combine(linear(one), linear(two), -1)
    if not difference.terms:
        return difference.constant != 0
    ends = (_behind(one), _behind(two))
    if any(end.op in ("index", "call") for end in ends):
        return True  # the next one around a ring
    if all(end.op == "load" for end in ends):
        return True  # a table of pairs
    for end, other in (ends, ends[::-1]):
        for loop in end.loops:
            if loop.variable is end and loop.bounds and loop.step == 1:
                start = combine(linear(loop.bounds[0]), linear(other), -1)
                if len(loop.bounds) > 1 and not start.terms and start.constant > 0:
                    return True  # `for j in range(i + 1, n)`
    wanted = {end.id for end in ends if end.const is None}
    return any(wanted & _ancestors(guard.condition) for guard in guards)


def _ancestors(value: Value, limit: int = 40) -> set[int]:
    seen: set[int] = set()
    pending = [value]
    while pending and len(seen) < limit:
        node = _behind(pending.pop())
        if node.id not in seen:
            seen.add(node.id)
            pending.extend(node.args)
    return seen


def _separation(value: Value, guards: tuple[Guard, ...]) -> bool:
    """A square of (a component of) a difference of particles."""
    one = _behind(value.args[0])
    return apart(one.args[0] if one.op == "index" and one.args else one, guards)


def may_vanish(value: Value, guards: tuple[Guard, ...] = (), depth: int = 0) -> bool:
    """Is zero an ordinary value of this: a plain input, or a sum of squares (a norm)? `guards`: where it is used."""
    value = _behind(value)
    if value.op == "load":
        return not value.extra  # written before in this kernel: not a plain input
    if value.op in ("param", "index"):
        return True
    if value.op != "call" or depth > 6:
        return False
    if value.name in (*_SQUARES, "length", "norm_l2") and apart(value.args[0], guards):
        return False
    if value.name in _SQUARES:
        return value.name == "length_sq" or same(value.args[0]) == same(value.args[1])
    if value.name in ("length", "norm_l2"):
        return True
    if value.name == "mul":
        factors = [argument for argument in value.args if _behind(argument).const is None]
        if same(value.args[0]) == same(value.args[1]) and _separation(value, guards):
            return False
        return same(value.args[0]) == same(value.args[1]) or (
            len(factors) == 1 and may_vanish(factors[0], guards, depth + 1)
        )
    if value.name == "pow":
        return bool(value.args[1].const == 2)
    if value.name == "add":
        terms = [_behind(a) for a in value.args]
        if all(a.op == "call" and a.name == "mul" and _separation(a, guards) for a in terms):
            return False
        return all(may_vanish(a, guards, depth + 1) and nonnegative(a) for a in value.args)
    if value.name == "sqrt":
        return may_vanish(value.args[0], guards, depth + 1)
    if value.name in ("max", "abs"):
        return any(a.const == 0 or may_vanish(a, guards, depth + 1) for a in value.args) and not positive(value)
    return False


def hazards(inspection: Inspection) -> Iterator[Hazard]:
    """Active and useful operations with an unguarded singular point that nothing in the arithmetic excludes."""
    for value in inspection.graph.values:
        entry = value.entry
        if value.op != "call" or entry is None or not entry.singular or value.frame.id in inspection.adjoint.custom:
            continue
        if not inspection.live(value):
            continue
        for fact in entry.singular:
            if fact.guarded:
                continue
            for argument, position in zip(value.args, value.bound, strict=False):
                if (
                    position == fact.operand
                    and _reachable(inspection, value, argument, fact)
                    and not replaced(argument)
                ):
                    yield Hazard(value, argument, fact)
                    break


def _reachable(inspection: Inspection, value: Value, operand: Value, fact: Singular) -> bool:
    act = inspection.active(operand)
    if value.name == "pow":
        base, power = value.args[0], value.args[1]
        if fact.where != "zero":
            return False
        if _behind(base).const == 0:
            return bool(inspection.active(power))
        exponent = _behind(power).const
        if not act or (isinstance(exponent, (int, float)) and (exponent >= 1 or exponent == 0)):
            return False
        return not positive(base)
    if not act:
        return False
    if fact.where == "zero":
        return not positive(operand)
    if fact.where == "overflow":
        return not _bounded_above(operand)
    return False


def _bounded_above(value: Value, depth: int = 0) -> bool:
    """`exp(-x*x)`, `exp(min(x, c))`: cannot overflow."""
    value = _behind(value)
    if isinstance(value.const, (int, float)):
        return True
    if value.op != "call" or depth > 8:
        return False
    name, args = value.name, value.args
    if name == "neg":
        return nonnegative(args[0])
    if name in ("min", "clamp"):
        return any(a.const is not None for a in args[1:]) or any(_bounded_above(a, depth + 1) for a in args)
    if name == "mul":
        one, two = _behind(args[0]), _behind(args[1])
        for factor, other in ((one, two), (two, one)):
            negated = factor.op == "call" and factor.name == "neg" and nonnegative(factor.args[0])
            if negated or (isinstance(factor.const, (int, float)) and factor.const < 0):
                return nonnegative(other)
        return False
    if name == "div":
        return _bounded_above(args[0], depth + 1) and nonnegative(args[1])
    if name in ("tanh", "sin", "cos"):
        return True
    if name in ("add", "sub"):
        return _bounded_above(args[0], depth + 1) and (
            isinstance(args[1].const, (int, float)) or (name == "sub" and nonnegative(args[1]))
        )
    return False


def uses(inspection: Inspection) -> dict[int, list[Value]]:
    """Users of every value by derivative edges."""
    table: dict[int, list[Value]] = {}
    for value in inspection.graph.values:
        for argument in value.args:
            table.setdefault(argument.id, []).append(value)
    return table


def selections(inspection: Inspection) -> Iterator[tuple[Value, Value, Value]]:
    """(where, condition, branch value) of every `wp.where` or `wp.select`, one per branch."""
    for value in inspection.graph.values:
        if value.op == "call" and value.name in ("where", "select") and len(value.args) == 3:
            for branch in value.args[1:]:
                yield value, value.args[0], branch


def differentiable_below(value: Value, limit: int = 120) -> Iterator[Value]:
    """Values that a branch is computed from, along derivative edges."""
    seen: set[int] = set()
    pending = [value]
    while pending and len(seen) < limit:
        node = pending.pop()
        if node.id in seen:
            continue
        seen.add(node.id)
        yield node
        if node.op == "call" and node.entry is not None:
            for argument, position in zip(node.args, node.bound, strict=False):
                known = position is not None and position < len(node.entry.operands)
                if known and node.entry.operands[position or 0].gradient is Gradient.EXACT:
                    pending.append(argument)
        elif node.op in _PASSING or node.op == "phi":
            pending.extend(node.args[1:] if node.op == "phi" else node.args)


__all__ = ["Hazard", "apart", "atoms", "hazards", "may_vanish", "positive", "protected", "selections", "through"]
