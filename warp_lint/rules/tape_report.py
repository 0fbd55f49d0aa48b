"""Findings of the tape rules: places, notes and severities in one form."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import PurePath

from warp_lint.codes import RULES
from warp_lint.findings import Finding, Location, Note, Severity, Subject
from warp_lint.trace.analysis import Analysis
from warp_lint.trace.model import Event


def at_event(analysis: Analysis, index: int) -> Location:
    return analysis.events[index].location


def report(
    analysis: Analysis,
    code: str,
    severity: Severity,
    location: Location,
    message: str,
    help: str,
    notes: Iterable[Note] = (),
    index: int | None = None,
    versus: int | None = None,
) -> Finding:
    """A finding at a location; `index` is the event that happens there, for its call path, and `versus` the one
    it conflicts with."""
    collected = [note for note in notes if note.location != location or note.message.startswith("iterations")]
    context = ""
    if index is not None:
        event = analysis.events[index]
        if event.location == location:
            context = event.text
        if event.library is not None:
            collected.append(Note(event.library, "in this library code"))
        collected += _reached(analysis, index, location, versus)
    unique: dict[tuple[Location, str], Note] = {}
    for note in collected:
        unique.setdefault((note.location, note.message), note)
    entry = analysis.trace.entry
    return Finding(
        code=code,
        name=RULES[code].name,
        severity=severity,
        location=location,
        message=message,
        help=help,
        notes=tuple(unique.values()),
        subject=Subject("program", "", entry.path, entry.line),
        context=context,
    )


def _reached(analysis: Analysis, index: int, location: Location, versus: int | None) -> list[Note]:
    """How the program gets to an event, as far as it tells something: the calls that lead to the conflicting
    event too are left out, and so is the only way that leads there; calls into another file stay."""
    path = _calls(analysis.events[index], location)
    if versus is not None:
        others = [_calls(analysis.events[versus], None)]
    else:
        others = [
            _calls(event, location)
            for event in analysis.events
            if event.location == analysis.events[index].location and event.call_path
        ]
    shared = min((_common(path, other) for other in others), default=len(path))
    entry = analysis.trace.entry
    if location.path != entry.path:
        shared = min(shared, max((k for k, place in enumerate(path) if place.path == entry.path), default=shared))
    rest = path[shared:]
    if not rest:
        return []
    by_way = [
        f"line {place.line}" if place.path == location.path else f"{PurePath(place.path).name}:{place.line}"
        for place in rest[1:]
    ]
    return [Note(rest[0], "called from here" + (f", by way of {' and '.join(by_way)}" if by_way else ""))]


def _calls(event: Event, location: Location | None) -> list[Location]:
    path = list(event.call_path)
    while path and path[-1] == location:
        path.pop()
    return path


def _common(a: Sequence[Location], b: Sequence[Location]) -> int:
    count = 0
    for x, y in zip(a, b, strict=False):
        if x != y:
            break
        count += 1
    return count


def loop_note(analysis: Analysis, first: int, second: int) -> list[Note]:
    """A note where an iteration of a loop is between two events."""
    loop = analysis.loop_between(first, second)
    return [Note(loop, "iterations of this loop are between the two")] if loop is not None else []


def operation_name(analysis: Analysis, index: int) -> str:
    """The event with its line, as messages name it: `` `step` (line 12) ``."""
    event = analysis.events[index]
    return f"`{analysis.kernel(index)}` (line {event.location.line})"


def applies(analysis: Analysis, code: str) -> bool:
    """Whether the rule applies to the Warp version that is judged."""
    versions = RULES[code].versions
    if not versions:
        return True
    from packaging.specifiers import SpecifierSet

    return SpecifierSet(versions).contains(analysis.settings.target, prereleases=True)
