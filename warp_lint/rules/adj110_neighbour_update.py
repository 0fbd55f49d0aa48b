"""ADJ110: an array updated in place from elements that other threads update."""

from __future__ import annotations

from collections.abc import Iterator

from warp_lint.findings import Note
from warp_lint.kernels.effects import Access
from warp_lint.kernels.graph import Event, Guard, Value
from warp_lint.kernels.inspection import Inspection, Report, array_text, call_notes
from warp_lint.kernels.linear import Linear, combine
from warp_lint.kernels.summary import loads_below

CODE = "ADJ110"


def check(inspection: Inspection) -> Iterator[Report]:
    for store in inspection.writes():
        if store.access is not Access.STORE or store.atomic or store.extent or store.loops:
            continue
        if not inspection.adjoint.carries(store) or not inspection.live(store.value):
            continue
        if any(_selective(guard) for guard in store.guards):
            continue
        for load in loads_below(store.value.args[0]):
            read = load.event
            if read is None or read.path != store.path or read.loops or not inspection.adjoint.act[load.id]:
                continue
            if _neighbour(inspection.memory.index(store), inspection.memory.index(read)):
                yield Report(
                    CODE,
                    store.location,
                    f"`{array_text(store)}` is updated in place from `{_text(read)}`, which another thread updates",
                    "read from one array and write to another",
                    ()
                    if read.location.line == store.location.line
                    else (Note(read.location, "the neighbour is read here"), *call_notes(store.frame)),
                    inspection.adjoint.bit(store.path),
                )
                break


def _text(event: Event) -> str:
    return event.frame.module.segment(event.node)


def _neighbour(stored: tuple[Linear | None, ...], read: tuple[Linear | None, ...]) -> bool:
    """Is the read element the stored one of another thread: same multiple of the thread index, other offset?"""
    if len(stored) != len(read) or not stored:
        return False
    moved = False
    for left, right in zip(stored, read, strict=True):
        if left is None or right is None:
            return False
        right = _unclamped(right)
        difference = combine(left, right, -1)
        if difference.terms:
            return False
        if not difference.constant:
            continue
        threads = [factor for symbol, factor in left.terms if isinstance(symbol, tuple) and symbol[0] == "tid"]
        if len(threads) != 1 or len(left.terms) != 1 or difference.constant % threads[0]:
            return False
        moved = True
    return moved


def _unclamped(index: Linear) -> Linear:
    """`max(i - 1, 0)`, `min(i + 1, n - 1)`: the index without the clamp at the border."""
    if len(index.terms) != 1 or index.constant or index.terms[0][1] != 1:
        return index
    symbol = index.terms[0][0]
    if isinstance(symbol, tuple) and symbol[0] == "call" and symbol[1] in ("max", "min", "clamp"):
        inner = [part for part in symbol[2] if isinstance(part, Linear)]
        moving = [part for part in inner if any(isinstance(s, tuple) and s[0] == "tid" for s, _ in part.terms)]
        if len(moving) == 1:
            return moving[0]
    return index


def _selective(guard: Guard) -> bool:
    """A condition that picks some threads, such as one colour of a red-black sweep."""
    pending: list[Value] = [guard.condition]
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
