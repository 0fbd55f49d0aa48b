"""Defects caused by array stores, told apart for ADJ101, ADJ102 and ADJ103."""

from __future__ import annotations

from collections.abc import Iterator

from warp_lint.findings import Note
from warp_lint.kernels.effects import Access
from warp_lint.kernels.graph import Event, Value
from warp_lint.kernels.inspection import CauseGroup, Inspection, Report, array_text, call_notes, code_text, through
from warp_lint.kernels.linear import combine
from warp_lint.kernels.replay import Defect
from warp_lint.kernels.summary import loads_below

_INPLACE = frozenset(("mul", "div", "pow", "mod", "floordiv"))


def classify(inspection: Inspection, group: CauseGroup) -> str:
    """Code of the rule that a store's defects belong to."""
    event = group.cause.event
    assert event is not None
    kinds = {_kind(inspection, event, defect) for defect in group.defects}
    return min(kinds)


def _kind(inspection: Inspection, store: Event, defect: Defect) -> str:
    """ADJ101 and ADJ102 if the element's own old value makes the stored one, ADJ103 if another use needs it."""
    if store.access is Access.ACCUMULATE and not _reads_itself(inspection, store):
        return "ADJ103"
    if defect.need.kind == "condition" and any(g.condition is defect.need.value for g in store.guards):
        return "ADJ102"
    below = _below(store.value.args[0])
    if defect.need.user.id not in below and defect.need.value.id not in below:
        return "ADJ103"
    if not _reads_itself(inspection, store):
        return "ADJ103"
    return "ADJ101" if store.augmented in _INPLACE else "ADJ102"


def _reads_itself(inspection: Inspection, store: Event) -> bool:
    memory = inspection.memory
    return any(
        load.event is not None
        and memory.canonical(load.path) == memory.canonical(store.path)
        and memory.same_pass(load.event, store)
        for load in loads_below(store.value.args[0])
    )


def _below(value: Value, limit: int = 400) -> set[int]:
    seen: set[int] = set()
    pending = [value]
    while pending and len(seen) < limit:
        node = pending.pop()
        if node.id in seen:
            continue
        seen.add(node.id)
        pending.extend(node.args)
    return seen


def found(inspection: Inspection, code: str) -> Iterator[CauseGroup]:
    """Stores by the rule that reports them; a vector stored element by element is one."""
    merged: list[CauseGroup] = []
    for group in inspection.groups:
        if group.cause.kind != "store" or classify(inspection, group) != code:
            continue
        first = next((other for other in reversed(merged) if _together(inspection, other, group)), None)
        if first is None:
            merged.append(CauseGroup(group.cause, list(group.defects)))
            continue
        events = sorted((_event(first), *first.others, _event(group)), key=lambda event: event.time)
        if events[0] is not _event(first):
            first.cause = group.cause
        first.others = events[1:]
        first.defects += group.defects
    yield from merged


def _event(group: CauseGroup) -> Event:
    assert group.cause.event is not None
    return group.cause.event


def _together(inspection: Inspection, one: CauseGroup, two: CauseGroup) -> bool:
    """`a[k + 0] = v[0]`, `a[k + 1] = v[1]` next to each other, or elements needed by one operation."""
    left, right = _event(one), _event(two)
    same = left.path == right.path and left.frame is right.frame and left.loops == right.loops
    if not same or left.guards != right.guards or left.access is not right.access or left.augmented != right.augmented:
        return False
    if not _apart(inspection, left, right):
        return False
    users = {id(defect.need.user) for defect in one.defects}
    lines = {event.location.line for event in (left, *one.others)}
    parts = all(through(event.value.args[0]).op == "index" for event in (left, right))
    near = parts and any(abs(line - right.location.line) <= 1 for line in lines)
    return near or any(id(defect.need.user) in users for defect in two.defects)


def _apart(inspection: Inspection, left: Event, right: Event) -> bool:
    """Do the indices differ by constants only?"""
    first, second = inspection.memory.index(left), inspection.memory.index(right)
    if len(first) != len(second) or left.component != right.component or first == second:
        return False
    return all(
        a is not None and b is not None and not combine(a, b, -1).terms for a, b in zip(first, second, strict=True)
    )


def old_rewrites(inspection: Inspection, code: str) -> Iterator[Report]:
    """Warp < 1.13: a store doesn't clear its destination's adjoint, so a rewritten element keeps it."""
    if not inspection.before("1.13"):
        return
    for store in inspection.writes():
        if store.access is not Access.STORE or store.atomic or not inspection.adjoint.carries(store):
            continue
        if store.extent or not inspection.adjoint.is_useful(store.path):
            continue
        earlier = _leaks_into(inspection, store)
        if not earlier:
            continue
        own = _reads_itself(inspection, store)
        kind = "ADJ101" if own and store.augmented in _INPLACE else "ADJ102" if own else "ADJ103"
        if kind != code:
            continue
        lines = {store.location.line}
        notes = []
        for event in earlier:
            if event.location.line not in lines:
                lines.add(event.location.line)
                notes.append(Note(event.location, "the replaced value was read or stored here"))
        yield Report(
            code,
            store.location,
            f"`{array_text(store)}` is overwritten here, and Warp before 1.13 leaves its adjoint uncleared",
            "store the new value to another array, or use Warp 1.13 or newer",
            (*notes[:4], *call_notes(store.frame)),
            inspection.adjoint.bit(store.path),
        )


def _leaks_into(inspection: Inspection, store: Event) -> list[Event]:
    """Earlier accesses of a stored element whose gradient the uncleared adjoint spoils."""
    memory = inspection.memory
    found = []
    for event in inspection.graph.events:
        if memory.canonical(event.path) != memory.canonical(store.path) or event is store:
            continue
        source = event.value if event.access is Access.READ else event.value.args[0]
        if inspection.adjoint.act[source.id] and inspection.touches_after(event, store):
            found.append(event)
    return found


def need_notes(group: CauseGroup) -> tuple[Note, ...]:
    """The places that need the old value, on other lines than the cause."""
    event = group.cause.event
    assert event is not None
    beside = [Note(other.location, f"`{array_text(other)}` likewise") for other in group.others[:6]]
    notes: dict[object, Note] = {}
    for defect in group.defects:
        where = defect.need.user.location
        if defect.need.kind == "condition":
            where = defect.need.value.location
        if (where.path, where.line) == (event.location.path, event.location.line):
            continue
        what = code_text(defect.need.user)
        if defect.need.kind == "condition":
            what = code_text(defect.need.value)
            text = f"the condition `{what}` is decided again from the new value"
        else:
            text = f"the adjoint of `{what}` reads the old value"
        notes.setdefault((where.path, where.line), Note(where, text))
        if len(notes) >= 4:
            break
    return (*beside, *notes.values(), *call_notes(event.frame))


def needed_line(group: CauseGroup) -> str:
    event = group.cause.event
    assert event is not None
    for defect in group.defects:
        where = defect.need.user.location
        if where.line != event.location.line or where.path != event.location.path:
            return f" (line {where.line})"
    return ""
