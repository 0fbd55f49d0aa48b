"""ADJ110: an array updated in place from elements that other threads update."""

from __future__ import annotations

import ast
import enum
from collections.abc import Iterator

from warp_lint.findings import Note, Severity
from warp_lint.kernels.effects import Access
from warp_lint.kernels.graph import Event, Guard, Value
from warp_lint.kernels.inspection import Inspection, Report, array_text, call_notes
from warp_lint.kernels.linear import Linear, combine, linear

CODE = "ADJ110"
_COMPARISONS = frozenset(("lt", "le", "gt", "ge", "ne"))


class _Meets(enum.IntEnum):
    """Does a read index designate what another thread writes? SURE: for some threads whatever the inputs are."""

    NEVER = 0
    OWN = 1  # the same index: the thread's own element, as far as this dimension goes
    MAYBE = 2  # through a table of indices
    SURE = 3  # one element for all threads, a mirrored index, a loop over the elements
    SHIFTED = 4  # a constant offset


def check(inspection: Inspection) -> Iterator[Report]:
    for store in inspection.writes():
        if store.extent or store.value.name in ("extremum", "exchange"):
            continue
        if not inspection.adjoint.carries(store) or not inspection.adjoint.is_useful(store.path):
            continue
        if store.access is Access.ACCUMULATE and not inspection.live(store.value):
            continue
        found = _read(inspection, store)
        if found is None:
            continue
        read, meets = found
        update = "updates" if meets > _Meets.MAYBE else "may update"
        notes = (
            () if read.location.line == store.location.line else (Note(read.location, "the neighbour is read here"),)
        )
        yield Report(
            CODE,
            store.location,
            f"`{_target(store)}` is updated in place, and `{_text(read)}` reads what another thread {update}",
            "read from one array and write to another",
            (*notes, *call_notes(store.frame)),
            inspection.adjoint.bit(store.path),
            Severity.WARNING if meets is _Meets.MAYBE else None,
        )


def _read(inspection: Inspection, store: Event) -> tuple[Event, _Meets] | None:
    """The read of the same array that meets the store of another thread most surely."""
    best: tuple[Event, _Meets] | None = None
    for read in inspection.memory.reads_of(store.path):
        if read.extent or not inspection.live(read.value):
            continue
        meets = _meets(inspection, store, read)
        if meets <= _Meets.OWN or (best is not None and meets <= best[1]):
            continue
        if not any(_excludes(guard, meets, store, read) for guard in store.guards):
            best = read, meets
    return best


def _text(event: Event) -> str:
    return event.frame.module.segment(event.node)


def _target(store: Event) -> str:
    return array_text(store) if isinstance(store.node, (ast.Assign, ast.AugAssign)) else ".".join(store.path)


def _meets(inspection: Inspection, store: Event, read: Event) -> _Meets:
    stored, loaded = store.indices, read.indices
    if len(stored) != len(loaded) or not stored:
        return _Meets.NEVER
    result = _Meets.OWN
    for left, right in zip(stored, loaded, strict=True):
        if left is None or right is None:
            return _Meets.NEVER
        one = max(_dimension(inspection, linear(left), form) for form in _forms(right))
        if one is _Meets.NEVER:
            return one
        if one is not _Meets.OWN:
            result = one if result is _Meets.OWN else min(result, one)
    return result


def _forms(index: Value) -> list[Linear]:
    """An index, and what it is where it isn't wrapped around or clamped at a border."""
    found = [linear(index)]
    if index.op == "phi":
        found += [form for arm in index.args[1:] for form in _forms(arm)]
    elif index.op in ("copy", "arg") and index.args:
        found += _forms(index.args[0])
    elif index.op == "call" and index.name in ("max", "min", "clamp", "where", "select"):
        found += [form for part in index.args for form in _forms(part)]
    elif index.op == "call" and index.name == "mod" and len(index.args) == 2:
        inner, size = linear(index.args[0]), linear(index.args[1])
        found += [inner, combine(inner, size, -1), combine(inner, size, 1)]
    return found


def _dimension(inspection: Inspection, stored: Linear, read: Linear) -> _Meets:
    difference = combine(stored, read, -1)
    threads = [(symbol, factor) for symbol, factor in stored.terms if _is(symbol, "tid")]
    if not difference.terms:
        if not difference.constant:
            return _Meets.OWN
        alone = len(threads) == 1 and len(stored.terms) == 1
        return _Meets.SHIFTED if alone and not difference.constant % threads[0][1] else _Meets.NEVER
    simple = len(threads) == 1 and len(stored.terms) == 1 and abs(threads[0][1]) == 1
    if not simple:
        table = len(stored.terms) == 1 and _table(stored) and not stored.constant
        own = len(read.terms) == 1 and _is(read.terms[0][0], "tid") and not read.constant
        return _Meets.MAYBE if table and own and abs(read.terms[0][1]) == 1 else _Meets.NEVER
    ((thread, factor),) = threads
    if not read.terms:
        return _Meets.SURE if read.constant == stored.constant else _Meets.NEVER
    moving = [(symbol, f) for symbol, f in read.terms if _is(symbol, "tid")]
    if len(moving) == 1 and (moving[0] == (thread, -factor) or moving[0][0] != thread):
        others = [symbol for symbol, _ in read.terms if symbol != moving[0][0]]
        fixed = all(_is(symbol, "arg") for symbol in others)
        return _Meets.SURE if fixed and abs(moving[0][1]) == 1 else _Meets.NEVER
    if len(read.terms) == 1 and read.terms[0][1] == 1:
        if _table(read) and not read.constant:
            return _Meets.MAYBE
        if _is(read.terms[0][0], "loop"):
            loop = inspection.graph.loops[_number(read.terms[0][0])]
            start = 0 if len(loop.bounds) == 1 else loop.bounds[0].const if loop.bounds else None
            return _Meets.SURE if loop.kind == "for" and loop.step == 1 and start == 0 else _Meets.NEVER
    return _Meets.NEVER


def _number(symbol: object) -> int:
    return symbol[1] if isinstance(symbol, tuple) and isinstance(symbol[1], int) else -1


def _is(symbol: object, kind: str) -> bool:
    return isinstance(symbol, tuple) and bool(symbol) and symbol[0] == kind


def _table(index: Linear) -> bool:
    """An element of an index array, chosen by the thread (or by a loop): `x[neighbour[i]]`."""
    symbol = index.terms[0][0]
    return _is(symbol, "load") and index.terms[0][1] == 1


def _excludes(guard: Guard, meets: _Meets, store: Event, read: Event) -> bool:
    """May a condition keep the threads that write apart from the elements that are read? A bounds check doesn't."""
    condition = guard.condition
    if condition.op == "call" and condition.name in ("and", "or"):
        return any(_excludes(Guard(part, guard.arm, guard.branch), meets, store, read) for part in condition.args)
    sides = [linear(side) for side in condition.args] if condition.op == "call" else []
    compares = condition.name in _COMPARISONS and len(sides) == 2
    if compares and any(i is not None and linear(i) in sides and _has_load(linear(i)) for i in read.indices):
        return not any(not side.terms for side in sides)  # `if parent[i] >= 0`
    if _selective(condition):
        return True
    if meets is _Meets.SHIFTED:
        return _half(guard, store, read)
    bounds = [side for side in sides if not any(_is(symbol, "tid") for symbol, _ in side.terms)]
    return not (compares and condition.name != "ne" and len(bounds) == 1 and bool(bounds[0].terms))


def _half(guard: Guard, store: Event, read: Event) -> bool:
    """`if i < 4: x[i] = f(x[i + 4])`: the elements read lie behind those written."""
    condition = guard.condition
    if condition.name != "lt" or not guard.arm or not isinstance(condition.args[1].const, int):
        return False
    for left, right in zip(store.indices, read.indices, strict=True):
        if left is not None and right is not None and linear(left) == linear(condition.args[0]):
            offset = combine(linear(right), linear(left), -1)
            return not offset.terms and offset.constant >= int(condition.args[1].const)
    return False


def _has_load(index: Linear) -> bool:
    return any(_is(symbol, "load") for symbol, _ in index.terms)


def _selective(condition: Value) -> bool:
    """A condition that picks some threads, such as one colour of a red-black sweep."""
    pending: list[Value] = [condition]
    seen: set[int] = set()
    while pending:
        value = pending.pop()
        if value.id in seen:
            continue
        seen.add(value.id)
        if value.op == "call" and value.name in ("mod", "bit_and", "eq"):
            return True
        if value.op == "load":
            return True
        pending.extend(value.args)
    return False
