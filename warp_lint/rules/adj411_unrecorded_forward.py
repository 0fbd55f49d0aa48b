"""ADJ411: part of the forward computation is launched while no tape is open."""

from __future__ import annotations

from collections.abc import Iterator

from warp_lint.findings import Finding, Note, Severity
from warp_lint.rules._empty_tapes import empty_tapes
from warp_lint.rules.tape_report import at_event, report
from warp_lint.trace.analysis import Analysis
from warp_lint.trace.cuts import Cut
from warp_lint.trace.flow import Tier, gradient_key
from warp_lint.trace.model import Launch
from warp_lint.trace.windows import Window


def check(analysis: Analysis) -> Iterator[Finding]:
    yield from _empty(analysis)
    for result in analysis.results:
        window = result.window
        if not window.operations:
            continue
        written = {
            change.place.region.root
            for index in window.operations
            for change in analysis.timeline.changes.get(index, ())
        }
        recorded = {analysis.where(index) for index in window.operations}
        for cut in analysis.cuts(window):
            if cut.kind == "tape" and _abandoned(analysis, cut):
                yield _other_tape(analysis, window, cut)
            if cut.kind != "outside" or cut.tier is not Tier.INTEREST or not analysis.flow.has_gradient(cut.array):
                continue
            if gradient_key(cut.array) in analysis.flow.interest:
                continue  # a leaf itself: its gradient is what the program reads
            event = analysis.events[cut.index]
            if event.location in recorded:
                continue  # the same statement is on the tape as well: an earlier part that is left out on purpose
            what = f"`{event.kernel}`" if isinstance(event, Launch) else "this copy"
            late = cut.index > window.last
            if not late and cut.array.region.root in written:
                continue  # the tape computes it (again)
            when = "after the tape is closed" if late else "before the tape opens"
            notes = [Note(analysis.where(enter), "the tape is entered here") for enter, _ in window.scopes[:1]]
            yield report(
                analysis,
                "ADJ411",
                analysis.severity(cut.tier, cut.sure, cut.index, window.index),
                at_event(analysis, cut.index),
                f"{what} computes `{analysis.name(cut.array)}` on the way to the loss {when}: its gradient ends there",
                "move it into the `with tape:` block",
                notes,
                cut.index,
            )


def _empty(analysis: Analysis) -> Iterator[Finding]:
    for one in empty_tapes(analysis):
        if one.reset is not None:
            continue
        writer = analysis.events[one.writer]
        where = "on another tape" if isinstance(writer, Launch) and writer.recorded else "here, on no tape"
        yield report(
            analysis,
            "ADJ411",
            analysis.severity(Tier.INTEREST, bool(analysis.flow.interest), one.writer, one.window.index),
            one.window.event.location,
            f"this tape holds no launch, so nothing gets a gradient from `{analysis.name(one.loss)}`",
            "launch the forward computation inside `with tape:`",
            [Note(analysis.where(one.writer), f"the loss is computed {where}")],
            one.window.index,
        )


def _abandoned(analysis: Analysis, cut: Cut) -> bool:
    """The first launch behind a leaf is on a tape that never runs backward, and nothing reaches the leaf's gradient."""
    if any(cut.index in result.window.operations for result in analysis.results):
        return False
    event = analysis.events[cut.index]
    assert isinstance(event, Launch)
    leaves = [event.arguments[path] for path in analysis.flow.readings.get(cut.index, ())]
    keys = {gradient_key(leaf) for leaf in leaves if analysis.flow.own_tier(leaf) is Tier.INTEREST}
    return any(all(key not in result.reached for result in analysis.results) for key in keys)


def _other_tape(analysis: Analysis, window: Window, cut: Cut) -> Finding:
    event = analysis.events[cut.index]
    assert isinstance(event, Launch)
    return report(
        analysis,
        "ADJ411",
        min(Severity.WARNING, analysis.severity(cut.tier, cut.sure, cut.index, window.index)),
        at_event(analysis, cut.index),
        f"`{event.kernel}` is recorded on another tape, whose backward pass never runs: the gradient ends there",
        "run that tape backward afterwards, or record both parts on one tape",
        [Note(window.event.location, "this backward pass stops at its own tape's first launch")],
        cut.index,
    )
