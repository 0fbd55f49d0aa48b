"""Integer values in normal form (sum of coefficient times symbol, plus a constant), for comparing indices."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass

from warp_lint.kernels.graph import Value

Symbol = Hashable


@dataclass(frozen=True, slots=True)
class Linear:
    """`terms` maps symbols to coefficients (never zero)."""

    terms: tuple[tuple[Symbol, int], ...]
    constant: int

    def as_dict(self) -> dict[Symbol, int]:
        return dict(self.terms)


def _make(terms: dict[Symbol, int], constant: int) -> Linear:
    kept = [(symbol, factor) for symbol, factor in terms.items() if factor]
    kept.sort(key=lambda item: hash(item[0]))
    return Linear(tuple(kept), constant)


def constant(number: int) -> Linear:
    return Linear((), number)


def combine(left: Linear, right: Linear, sign: int) -> Linear:
    """`left + sign * right`."""
    terms = left.as_dict()
    for symbol, factor in right.terms:
        terms[symbol] = terms.get(symbol, 0) + sign * factor
    return _make(terms, left.constant + sign * right.constant)


def scaled(value: Linear, factor: int) -> Linear:
    return _make({symbol: f * factor for symbol, f in value.terms}, value.constant * factor)


_PASSING = frozenset(("copy", "arg", "ret"))
_CASTS = frozenset(("int", "int32", "int64", "uint32", "uint64", "int16", "int8", "uint8", "uint16"))


def linear(value: Value) -> Linear:
    """Normal form of an integer value; a symbol of its own if it has no structure."""
    known: Linear | None = value.linear
    if known is None:
        known = value.linear = _linear(value)
    return known


def _linear(value: Value) -> Linear:
    if isinstance(value.const, int):
        return constant(int(value.const))
    if value.op in _PASSING and len(value.args) == 1:
        return linear(value.args[0])
    if value.op == "call":
        if value.name in ("add", "sub") and len(value.args) == 2:
            return _flipped(combine(linear(value.args[0]), linear(value.args[1]), 1 if value.name == "add" else -1))
        if value.name == "neg":
            return scaled(linear(value.args[0]), -1)
        if value.name == "mul" and len(value.args) == 2:
            left, right = linear(value.args[0]), linear(value.args[1])
            if not left.terms:
                return scaled(right, left.constant)
            if not right.terms:
                return scaled(left, right.constant)
        if value.name in ("mod", "bit_and") and len(value.args) == 2:
            wrapped = _wrapped(linear(value.args[0]), linear(value.args[1]), value.name)
            if wrapped is not None:
                return wrapped
        if value.name in _CASTS and len(value.args) == 1 and value.args[0].type.is_integral:
            return linear(value.args[0])
    return Linear(((symbol(value), 1),), 0)


def _wrapped(form: Linear, size: Linear, name: str) -> Linear | None:
    """`form % size`, or `form & (size - 1)`, of a literal size: the symbol ("mod", size, form modulo size)."""
    number = size.constant + (name == "bit_and")
    if size.terms or number < 2 or (name == "bit_and" and number & (number - 1)):
        return None
    if not form.terms:
        return None
    reduced = _make({s: f % number for s, f in form.terms}, form.constant % number)
    return Linear(((("mod", number, reduced), 1),), 0) if reduced.terms else constant(reduced.constant)


def _flipped(form: Linear) -> Linear:
    """`1 - i % 2` is `(i + 1) % 2`."""
    if form.constant != 1 or len(form.terms) != 1:
        return form
    ((sym, factor),) = form.terms
    if factor != -1 or not isinstance(sym, tuple) or sym[:2] != ("mod", 2):
        return form
    inner: Linear = sym[2]
    return Linear(((("mod", 2, combine(inner, constant((inner.constant + 1) % 2 - inner.constant), 1)), 1),), 0)


def symbol(value: Value) -> Symbol:
    """Identity of an atom: equal symbols are equal values (in the same pass of every loop)."""
    if value.op == "tid":
        return ("tid", value.extra)
    if value.op == "param":
        return ("arg", value.path)
    if value.op == "loopvar":
        return ("loop", value.loops[-1].id if value.loops else -1)
    if value.op == "load" and value.event is not None and value.extra is not None:
        # `extra` counts the stores to the array so far: equal counts read equal memory.
        inner = tuple(None if i is None else linear(i) for i in value.event.indices)
        return ("load", value.path, inner, value.event.component, value.extra)
    if value.op == "call" and value.args and value.args[0].extra == "shape":
        return ("shape", value.name)
    if value.op == "call" and value.args and not value.name.startswith(("atomic", "rand")):
        return ("call", value.name, tuple(linear(a) if a.type.is_integral else a.id for a in value.args))
    if value.op == "index" and value.key is not None:
        return ("index", value.args[0].id, value.key)
    return ("value", value.id)


def extent_symbol(path: tuple[str, ...], dimension: int) -> Symbol:
    """Symbol of `a.shape[dimension]`."""
    return ("shape", f"{'.'.join(path)}.shape[{dimension}]")


def varying(sym: object, values: list[Value]) -> frozenset[int]:
    """Ids of the rolled loops whose passes may change a symbol."""
    found: set[int] = set()
    pending: list[object] = [sym]
    while pending:
        item = pending.pop()
        if isinstance(item, Linear):
            pending.extend(inner for inner, _ in item.terms)
        elif isinstance(item, tuple) and item:
            head = item[0]
            if head == "loop":
                found.add(item[1])
            elif head in ("value", "index"):
                found.update(loop.id for loop in values[item[1]].loops)
                pending.extend(item[2:])
            elif head == "call":
                for argument in item[2]:
                    if isinstance(argument, int):
                        found.update(loop.id for loop in values[argument].loops)
                    else:
                        pending.append(argument)
            elif head not in ("tid", "arg"):
                pending.extend(item)
    return frozenset(found)
