"""ADJ406: with `retain_grad=True` a store does not clear the gradient of what it replaces."""

from __future__ import annotations

from collections.abc import Iterator

from warp_lint.findings import Finding, Note
from warp_lint.rules.conflicts import conflict_message, conflicts
from warp_lint.rules.tape_report import at_event, operation_name, report
from warp_lint.trace.analysis import Analysis
from warp_lint.trace.flow import Tier
from warp_lint.trace.model import Launch

_HELP = "read the gradient from an array that is written once, or leave `retain_grad` off"


def check(analysis: Analysis) -> Iterator[Finding]:
    for conflict in conflicts(analysis, "ADJ406"):
        message, notes = conflict_message(analysis, conflict, "written again while it retains its gradient")
        notes.append(Note(analysis.allocation(conflict.array), "`retain_grad=True` here"))
        yield report(
            analysis,
            "ADJ406",
            conflict.severity,
            at_event(analysis, conflict.cause),
            message,
            _HELP,
            notes,
            conflict.cause,
            conflict.needed_by,
        )
    yield from _inside(analysis)
    for result in analysis.results:
        for leak in result.leaks:
            if leak.kind == "leftover" and leak.array.retain_grad:
                name = analysis.name(leak.array)
                window = result.window
                yield report(
                    analysis,
                    "ADJ406",
                    analysis.severity(leak.tier, leak.sure, leak.write, window.index),
                    window.event.location,
                    f"`{name}` retains its gradient of the last backward pass, "
                    f"which {operation_name(analysis, leak.receiver)} gets again",
                    "clear it between the passes with `tape.zero()`",
                    [
                        Note(analysis.where(leak.write), "the pass before"),
                        Note(analysis.allocation(leak.array), "`retain_grad=True` here"),
                    ],
                    window.index,
                )


def _inside(analysis: Analysis) -> Iterator[Finding]:
    """Kernels that store to an element twice."""
    seen: set[tuple[int, int]] = set()
    for result in analysis.results:
        for index in result.window.operations:
            event = analysis.events[index]
            if not isinstance(event, Launch) or event.effects is None:
                continue
            for path in sorted(event.effects.restored & result.useful.get(index, frozenset())):
                array = event.arguments.get(path)
                if array is None or not array.retain_grad or (index, array.id) in seen:
                    continue
                seen.add((index, array.id))
                yield report(
                    analysis,
                    "ADJ406",
                    analysis.severity(Tier.INTEREST, True, index, result.window.index),
                    at_event(analysis, index),
                    f"`{event.kernel}` stores twice to elements of `{analysis.name(array, index)}`, "
                    "which retains its gradient",
                    _HELP,
                    [Note(analysis.allocation(array), "`retain_grad=True` here")],
                    index,
                )
