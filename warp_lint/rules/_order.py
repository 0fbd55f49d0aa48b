"""`while` loops and loops over a query run their adjoint passes in forward order: what that makes wrong (part of
ADJ105). A query starts again for the reverse pass; only ranges can be walked backwards."""

from __future__ import annotations

from collections.abc import Collection, Iterator

from warp_lint.kernels.effects import Access
from warp_lint.kernels.graph import Loop, Value
from warp_lint.kernels.inspection import Inspection, Report, array_text, call_notes
from warp_lint.kernels.memory import Hit
from warp_lint.rules._loops import place

_PASSING = ("copy", "ret", "arg")


def check(inspection: Inspection, seen: set[tuple[int, str]]) -> Iterator[Report]:
    for loop in inspection.graph.loops:
        yield from _swaps(inspection, loop, seen)
        if loop.kind == "for":
            continue
        for name, head in loop.carried.items():
            if (loop.id, name) in seen or len(head.args) < 2:
                continue
            if _order_matters(inspection, loop, head):
                yield Report(
                    "ADJ105",
                    place(loop, name),
                    f"the adjoint of this {_kind(loop)} runs its passes in forward order, wrong for `{name}`",
                    _help(loop),
                    call_notes(loop.frame),
                    inspection.adjoint.act[head.id],
                )
        yield from _stores(inspection, loop)


def _kind(loop: Loop) -> str:
    return "`while` loop" if loop.kind == "while" else "loop over a query"


def _help(loop: Loop) -> str:
    if loop.kind == "while":
        return "use a `for` loop, whose adjoint runs backwards"
    return "add up terms that don't depend on each other, or loop over a table of neighbours"


def _swaps(inspection: Inspection, loop: Loop, seen: set[tuple[int, str]]) -> Iterator[Report]:
    """`a, b = b, a` in a rolled loop: the names are variables there, assigned one after the other."""
    heads = set(loop.carried.values())
    for name, head in loop.carried.items():
        back = head.args[1] if len(head.args) > 1 else head
        if back is not head and back in heads and inspection.live(back) and (loop.id, name) not in seen:
            yield Report(
                "ADJ105",
                place(loop, name),
                f"`{name}` takes the value of another name that the loop carries, which may have changed already",
                "copy the value first",
                call_notes(loop.frame),
                inspection.active(back),
            )


def _order_matters(inspection: Inspection, loop: Loop, head: Value) -> bool:
    back = head.args[1]
    act = inspection.adjoint.act
    if not act[back.id] or not inspection.adjoint.useful(back):
        return False
    heads = {other.id for other in loop.carried.values() if act[other.id]}
    own, others, fresh = _sources(inspection, loop, head, heads).get(back.id, _NOTHING)
    if not others and own == "identity":
        return False
    if _alike(inspection, loop, head, heads):
        return False
    return others or (fresh and _varies(inspection, loop, back))


def _alike(inspection: Inspection, loop: Loop, head: Value, heads: set[int]) -> bool:
    """Are all passes one linear map, as far as a carried value goes? (`s = 0.5 * s + y[i]`)"""
    group = {head.id: head}
    pending = [head]
    while pending:
        back = pending.pop().args[1]
        depends = _depends(loop, back, heads)
        if not _linear(inspection, depends):
            return False
        for value in depends:
            if value.id in heads and value.id not in group:
                group[value.id] = value
                pending.append(value)
    known = set(group)
    return not any(_varies(inspection, loop, value.args[1], known) for value in group.values())


def _depends(loop: Loop, value: Value, heads: set[int]) -> set[Value]:
    """What a value of a loop's body is computed from that depends on one of the given carried values."""
    order: list[Value] = []
    seen: set[int] = set()
    pending = [(value, False)]
    while pending:
        node, done = pending.pop()
        if done:
            order.append(node)
        elif node.id not in seen and (loop in node.loops or node.id in heads):
            seen.add(node.id)
            pending.append((node, True))
            if node.id not in heads:
                pending.extend((a, False) for a in node.args)
    found: set[Value] = set()
    for node in order:
        if node.id in heads or any(a in found for a in node.args):
            found.add(node)
    return found


def _linear(inspection: Inspection, depends: set[Value]) -> bool:
    """Are values linear in each other, with factors that have no gradient?"""
    act = inspection.adjoint.act
    for node in depends:
        if node.op == "carry":
            continue
        inside = [k for k, a in enumerate(node.args) if a in depends]
        rest = [a for a in node.args if a not in depends]
        if node.op == "phi":
            if 0 in inside:
                return False
        elif node.op == "call" and node.name in ("mul", "div"):
            if len(inside) > 1 or (node.name == "div" and inside != [0]) or any(act[a.id] for a in rest):
                return False
        elif not (node.op in _PASSING or (node.op == "call" and node.name in ("add", "sub", "neg"))):
            return False
    return True


def _varies(inspection: Inspection, loop: Loop, value: Value, ignored: Collection[int] = ()) -> bool:
    """Can a value differ from pass to pass, other than by the ignored ones?"""
    seen: set[int] = set(ignored)
    pending = [value]
    while pending:
        node = pending.pop()
        if node.id in seen or loop not in node.loops:
            continue
        seen.add(node.id)
        if node.op in ("carry", "loopvar", "opaque", "after"):
            return True
        if node.op == "load" and any(loop in write.loops for write in inspection.memory.writes_to(node.path)):
            return True
        pending.extend(node.args)
    return False


# How a value depends on the old value of a name ("none", "identity", "scaled"), on other carried values, on others.
Source = tuple[str, bool, bool]
_NOTHING: Source = ("none", False, False)


def _sources(inspection: Inspection, loop: Loop, head: Value, heads: set[int]) -> dict[int, Source]:
    """Sources of the values of a loop's body, by id. What the loop doesn't change has none."""
    table: dict[int, Source] = {}
    body = inspection.graph.values[loop.start : loop.end]
    for _ in range(2 if any(v.op == "carry" and v.extra is not loop for v in body) else 1):
        for value in body:
            if inspection.adjoint.act[value.id] and loop in value.loops:
                table[value.id] = _source(inspection, table, value, head, heads)
    return table


def _source(inspection: Inspection, table: dict[int, Source], value: Value, head: Value, heads: set[int]) -> Source:
    if value is head:
        return "identity", False, False
    if value.id in heads:
        return "none", True, False
    parts = [table.get(a.id, _NOTHING) for a in value.args]
    if value.op == "load":
        return "none", False, True
    if value.op == "mutate":
        return ("none", False, True) if value.name == "set" else _add(parts[:2])
    if value.op == "call" and value.name in ("add", "sub"):
        if value.name == "sub" and parts[1][0] != "none":
            parts[1] = ("scaled", parts[1][1], parts[1][2])
        return _add(parts)
    if value.op in ("phi", "join"):  # one of several
        choices = parts[1:] if value.op == "phi" else parts
        same = len({part[0] for part in choices}) == 1
        own = choices[0][0] if same else "scaled"
        return own, any(part[1] for part in choices), not same or any(part[2] for part in choices)
    if value.op in _PASSING:
        return _add(parts)
    own, others, fresh = _add(parts)
    return ("scaled" if own != "none" else "none"), others, fresh or value.op == "opaque"


def _add(parts: list[Source]) -> Source:
    owns = [part[0] for part in parts if part[0] != "none"]
    own = "none" if not owns else owns[0] if len(owns) == 1 else "scaled"
    return own, any(part[1] for part in parts), any(part[2] for part in parts)


def _stores(inspection: Inspection, loop: Loop) -> Iterator[Report]:
    """Elements stored at several passes, or stored in one pass and read in a later one."""
    memory, adjoint = inspection.memory, inspection.adjoint
    for store in inspection.writes():
        if loop not in store.loops or store.access is not Access.STORE or store.atomic:
            continue
        if not adjoint.act[store.value.args[0].id] or not adjoint.useful(store.value):
            continue
        here = memory.offsets(store, store)
        again = loop.id in here.free and here.hit is Hit.SURE and _varies(inspection, loop, store.value.args[0])
        for read in memory.reads_of(store.path):
            if loop in read.loops and inspection.live(read.value):
                found = memory.offsets(store, read)
                later = found.passes.get(loop.id, 0) > 0 or (loop.id in found.free and read.time < store.time)
                again = again or (found.hit is Hit.SURE and later)
        if again:
            yield Report(
                "ADJ105",
                store.location,
                f"the adjoint of this {_kind(loop)} runs its passes in forward order, wrong for `{array_text(store)}`",
                _help(loop),
                call_notes(store.frame),
                adjoint.act[store.value.args[0].id],
            )
