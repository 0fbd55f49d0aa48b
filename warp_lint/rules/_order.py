"""`while` loops run their adjoint passes in forward order: what that makes wrong (part of ADJ105)."""

from __future__ import annotations

from collections.abc import Iterator

from warp_lint.kernels.effects import Access
from warp_lint.kernels.graph import Loop, Value
from warp_lint.kernels.inspection import Inspection, Report, array_text, call_notes
from warp_lint.kernels.memory import Hit
from warp_lint.rules._loops import place

_PASSING = ("copy", "ret", "arg", "join")


def check(inspection: Inspection, seen: set[tuple[int, str]]) -> Iterator[Report]:
    for loop in inspection.graph.loops:
        if loop.kind != "while":
            continue
        for name, head in loop.carried.items():
            if (loop.id, name) in seen or len(head.args) < 2:
                continue
            if _order_matters(inspection, loop, head):
                yield Report(
                    "ADJ105",
                    place(loop, name),
                    f"the adjoint of this `while` loop runs its passes in forward order, wrong for `{name}`",
                    "use a `for` loop, whose adjoint runs backwards",
                    call_notes(loop.frame),
                    inspection.adjoint.act[head.id],
                )
        yield from _stores(inspection, loop)


def _order_matters(inspection: Inspection, loop: Loop, head: Value) -> bool:
    back = head.args[1]
    act = inspection.adjoint.act
    if not act[back.id] or not inspection.adjoint.useful(back):
        return False
    heads = {other.id: other for other in loop.carried.values() if act[other.id]}
    own, others, fresh = _sources(inspection, loop, back, head, heads)
    if others:
        return True
    if own == "identity":
        return False
    if own == "scaled":
        return fresh
    return fresh and back.op != "param"


def _sources(
    inspection: Inspection, loop: Loop, value: Value, head: Value, heads: dict[int, Value]
) -> tuple[str, bool, bool]:
    """How a new value depends on the old one ("none", "identity", "scaled"), on other carried values, on others."""
    act = inspection.adjoint.act
    if value is head:
        return "identity", False, False
    if value.id in heads:
        return "none", True, False
    if not act[value.id]:
        return "none", False, False
    if loop not in value.loops:
        return "none", False, False  # the same in every pass
    if value.op == "mutate":
        if value.name == "set":
            return "none", False, True
        parts = [_sources(inspection, loop, argument, head, heads) for argument in value.args[:2]]
        return _add(parts)
    if value.op == "call" and value.name in ("add", "sub"):
        parts = [_sources(inspection, loop, argument, head, heads) for argument in value.args]
        if value.name == "sub" and parts[1][0] != "none":
            parts[1] = ("scaled", parts[1][1], parts[1][2])
        return _add(parts)
    if value.op == "phi":
        parts = [_sources(inspection, loop, argument, head, heads) for argument in value.args[1:]]
        if parts[0][0] == parts[1][0]:
            return parts[0][0], parts[0][1] or parts[1][1], parts[0][2] or parts[1][2]
        return "scaled", parts[0][1] or parts[1][1], True
    if value.op in _PASSING:
        parts = [_sources(inspection, loop, argument, head, heads) for argument in value.args if act[argument.id]]
        return _add(parts)
    if value.op == "load":
        return "none", False, True
    parts = [_sources(inspection, loop, argument, head, heads) for argument in value.args if act[argument.id]]
    own, others, fresh = _add(parts)
    return ("scaled" if own != "none" else "none"), others, fresh or value.op in ("opaque", "param")


def _add(parts: list[tuple[str, bool, bool]]) -> tuple[str, bool, bool]:
    owns = [part[0] for part in parts if part[0] != "none"]
    own = "none" if not owns else owns[0] if len(owns) == 1 else "scaled"
    return own, any(part[1] for part in parts), any(part[2] for part in parts)


def _stores(inspection: Inspection, loop: Loop) -> Iterator[Report]:
    """Elements stored at several passes, or stored in one pass and read in a later one."""
    memory, adjoint = inspection.memory, inspection.adjoint
    for store in inspection.writes():
        if loop not in store.loops or store.access is not Access.STORE:
            continue
        if not adjoint.act[store.value.args[0].id] or not adjoint.useful(store.value):
            continue
        again = loop.id in memory.offsets(store, store).free and memory.offsets(store, store).hit is Hit.SURE
        for read in memory.reads_of(store.path):
            if loop in read.loops and inspection.live(read.value):
                found = memory.offsets(store, read)
                later = found.passes.get(loop.id, 0) > 0 or (loop.id in found.free and read.time < store.time)
                again = again or (found.hit is Hit.SURE and later)
        if again:
            yield Report(
                "ADJ105",
                store.location,
                f"the adjoint of this `while` loop runs its passes in forward order, wrong for `{array_text(store)}`",
                "use a `for` loop, whose adjoint runs backwards",
                call_notes(store.frame),
                adjoint.act[store.value.args[0].id],
            )
