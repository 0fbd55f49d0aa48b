"""Defects caused by array stores, told apart for ADJ101, ADJ102 and ADJ103."""

from __future__ import annotations

from collections.abc import Iterator

from warp_lint.findings import Note
from warp_lint.kernels.effects import Access
from warp_lint.kernels.graph import Event, Value
from warp_lint.kernels.inspection import CauseGroup, Inspection, Report, array_text, call_notes
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
    for group in inspection.groups:
        if group.cause.kind == "store" and classify(inspection, group) == code:
            yield group


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
    notes: dict[object, Note] = {}
    for defect in group.defects:
        where = defect.need.user.location
        if defect.need.kind == "condition":
            where = defect.need.value.location
        if (where.path, where.line) == (event.location.path, event.location.line):
            continue
        what = defect.need.user.frame.module.segment(defect.need.user.node)
        if defect.need.kind == "condition":
            what = defect.need.value.frame.module.segment(defect.need.value.node)
            text = f"the condition `{_short(what)}` is decided again from the new value"
        else:
            text = f"the adjoint of `{_short(what)}` reads the old value"
        notes.setdefault((where.path, where.line), Note(where, text))
        if len(notes) >= 4:
            break
    return (*notes.values(), *call_notes(event.frame))


def _short(text: str) -> str:
    return text if len(text) <= 60 else text[:57] + "..."


def needed_line(group: CauseGroup) -> str:
    event = group.cause.event
    assert event is not None
    for defect in group.defects:
        where = defect.need.user.location
        if where.line != event.location.line or where.path != event.location.path:
            return f" (line {where.line})"
    return ""
