"""ADJ410: a backward pass that starts from nothing, and a seed array used a second time."""

from __future__ import annotations

from collections.abc import Iterator

from warp_lint.findings import Finding, Note
from warp_lint.rules._empty_tapes import empty_tapes
from warp_lint.rules.tape_report import at_event, report
from warp_lint.trace.access import Place
from warp_lint.trace.analysis import Analysis
from warp_lint.trace.flow import Tier, gradient_key
from warp_lint.trace.model import Backward, GradientWrite, TapeEvent


def check(analysis: Analysis) -> Iterator[Finding]:
    for one in analysis.gradients.unseeded:
        backward = analysis.where(one.backward)
        if one.clear is not None and one.array is not None:
            yield report(
                analysis,
                "ADJ410",
                analysis.severity(Tier.INTEREST, True, one.clear, one.backward),
                at_event(analysis, one.clear),
                f"this zeroes the gradient of `{analysis.name(one.array)}`, from which the next backward pass starts",
                "clear the tapes after the last backward pass",
                [Note(backward, "starts from zeros")],
                one.clear,
            )
            continue
        yield report(
            analysis,
            "ADJ410",
            analysis.severity(Tier.INTEREST, True, one.backward),
            backward,
            "this backward pass has no loss and no seed, so every gradient is zero",
            "pass `loss=` or `grads=`, or set the gradient of an output before",
            (),
            one.backward,
        )
    yield from _reused(analysis)
    yield from _emptied(analysis)


def _emptied(analysis: Analysis) -> Iterator[Finding]:
    for one in empty_tapes(analysis):
        if one.reset is not None:
            yield report(
                analysis,
                "ADJ410",
                analysis.severity(Tier.INTEREST, bool(analysis.flow.interest), one.reset, one.window.index),
                at_event(analysis, one.reset),
                "this takes all launches off the tape, and the next backward pass has nothing to run",
                "call `reset()` before the tape is entered again; `zero()` clears gradients and keeps the launches",
                [Note(one.window.event.location, "nothing is left to differentiate")],
                one.reset,
            )


def _reused(analysis: Analysis) -> Iterator[Finding]:
    """`y.grad = seed` again, although the seed has been zeroed as `y.grad`: by the pass before, or with the tape."""
    given: dict[int, tuple[int, GradientWrite]] = {}  # by allocation of the seed
    held: dict[int, int] = {}  # tape that knows the gradient
    consumed: dict[int, tuple[int, int]] = {}
    results = {result.window.index: result for result in analysis.results}
    for index, event in enumerate(analysis.events):
        if isinstance(event, GradientWrite) and event.kind == "replace" and event.source is not None:
            root = event.source.region.root
            made = analysis.trace.roots.get(root)
            if made is not None and made.origin in ("gradient", "external"):
                continue  # memory of another array's gradient, or of unknown owner, is no seed
            if root in consumed:
                end, first = consumed.pop(root)
                if not analysis.timeline.written(Place(event.source.region), end, index):
                    yield _reuse(analysis, index, event, end, first)
            given[root] = (index, event)
            held.pop(root, None)
        elif isinstance(event, TapeEvent) and event.action == "zero":
            for root in [root for root, tape in held.items() if tape == event.target]:
                consumed[root] = (index, given.pop(root)[0])
                del held[root]
        result = results.get(index)
        if result is not None:
            for root, (first, write) in list(given.items()):
                key = gradient_key(write.array)
                if key not in result.writers:
                    continue
                if analysis.timeline.zeros(root, index):
                    del given[root]  # memory for a gradient, no seed
                    held.pop(root, None)
                elif key not in result.residuals:
                    consumed[root] = (index, first)
                    del given[root]
                    held.pop(root, None)
                else:
                    held[root] = result.window.tape


def _reuse(analysis: Analysis, index: int, event: GradientWrite, end: int, first: int) -> Finding:
    assert event.source is not None
    backward = isinstance(analysis.events[end], Backward)
    how = "the last backward pass zeroed it" if backward else "was zeroed with it"
    return report(
        analysis,
        "ADJ410",
        analysis.severity(Tier.INTEREST, True, index, end),
        at_event(analysis, index),
        f"`{analysis.name(event.source)}` became the gradient of `{analysis.name(event.array)}`, and {how}",
        "pass it as `grads={array: seed}`, which copies, or fill it again",
        [
            Note(analysis.where(first), "handed over here"),
            Note(analysis.where(end), "consumed here" if backward else "zeroed here"),
        ],
        index,
        first,
    )
