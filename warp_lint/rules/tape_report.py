"""Findings of the tape rules: places, notes and severities in one form."""

from __future__ import annotations

from collections.abc import Iterable

from warp_lint.codes import RULES
from warp_lint.findings import Finding, Location, Note, Severity, Subject
from warp_lint.trace.analysis import Analysis


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
) -> Finding:
    """A finding at a location; `index` is the event that happens there, for its call path."""
    collected = [note for note in notes if note.location != location or note.message.startswith("iterations")]
    context = ""
    if index is not None:
        event = analysis.events[index]
        if event.location == location:
            context = event.text
        if event.library is not None:
            collected.append(Note(event.library, "in this library code"))
        outer = [place for place in event.call_path if place != location]
        collected += [Note(place, "called from here") for place in outer[-3:][::-1]]
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
