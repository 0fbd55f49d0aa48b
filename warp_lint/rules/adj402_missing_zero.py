"""ADJ402: gradients accumulate over backward passes that were meant to be separate."""

from __future__ import annotations

from collections.abc import Iterator

from warp_lint.findings import Finding, Note
from warp_lint.rules.tape_report import at_event, loop_note, operation_name, report
from warp_lint.trace.analysis import Analysis
from warp_lint.trace.flow import Tier
from warp_lint.trace.gradients import Accumulated
from warp_lint.trace.model import Backward, GradientRead, TapeEvent
from warp_lint.trace.sweep import Leak, Result

_HELP = "call `tape.zero()` after the gradients are used, before the next backward pass"


def check(analysis: Analysis) -> Iterator[Finding]:
    for one in analysis.gradients.accumulated:
        event = analysis.events[one.read]
        if analysis.arranged(one.before) and not analysis.arranged(one.backward):
            continue  # the program may call something that clears between the constructor and this
        if isinstance(event, GradientRead) and event.kind == "torch":
            continue  # ADJ412
        yield accumulated(analysis, one, "ADJ402")
    for result in analysis.results:
        for leak in result.leaks:
            if leak.kind == "leftover" and not leak.array.retain_grad and leak.tier is Tier.INTEREST:
                if analysis.arranged(leak.write) and not analysis.arranged(result.window.index):
                    continue  # the program may call something that clears between the constructor and this
                yield _left_over(analysis, result, leak)


def accumulated(analysis: Analysis, one: Accumulated, code: str) -> Finding:
    name = analysis.name(one.array)
    passed = isinstance(analysis.events[one.before], Backward)
    words = "the backward pass before" if passed else "what it holds comes from here"
    notes = [Note(analysis.where(one.before), words)]
    notes += _idle_zero(analysis, one.before, one.backward)
    notes.append(Note(analysis.where(one.read), "read here"))
    notes += loop_note(analysis, one.before, one.backward)
    return report(
        analysis,
        code,
        analysis.severity(Tier.INTEREST, not analysis.arranged(one.backward), one.before, one.backward, one.read),
        at_event(analysis, one.backward),
        f"the gradient of `{name}` still holds the last backward pass, and this one adds to it",
        _HELP,
        notes,
        one.backward,
        one.before,
    )


def _idle_zero(analysis: Analysis, before: int, backward: int) -> list[Note]:
    """A `zero()` between the passes that clears nothing."""
    notes = []
    for event in analysis.events[before:backward]:
        if isinstance(event, TapeEvent) and event.action == "zero":
            notes.append(Note(event.location, "this clears nothing: the tape has run no backward pass yet"))
    return notes[:1]


def _left_over(analysis: Analysis, result: Result, leak: Leak) -> Finding:
    name = analysis.name(leak.array)
    receiver = operation_name(analysis, leak.receiver)
    window = result.window
    return report(
        analysis,
        "ADJ402",
        analysis.severity(leak.tier, leak.sure and not analysis.arranged(window.index), leak.write, window.index),
        window.event.location,
        f"the gradient of `{name}` is left over from the last backward pass, and {receiver} gets it again",
        "call `tape.zero()` between the passes, or use a fresh array: clearing the parameters is not enough",
        [Note(analysis.where(leak.write), "the backward pass before"), *loop_note(analysis, leak.write, window.index)],
        window.index,
        leak.write,
    )
