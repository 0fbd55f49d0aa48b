"""What traces tell about a kernel's launches: the context for the rules inside kernels."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from warp_lint.findings import Location
from warp_lint.kernels.activity import KernelActivity, LaunchContext
from warp_lint.kernels.effects import Path
from warp_lint.settings import Settings
from warp_lint.trace.analysis import Analysis
from warp_lint.trace.flow import Tier, recorded
from warp_lint.trace.model import Copy, Event, Launch, Overlap, RecordFunction, Trace, overlap
from warp_lint.trace.sweep import Result, extremal

CONTEXT_LIMIT = 16
REPAIRS = 3


class _Seen:
    """Launches of one kernel over all traces. `open`: launches whose use isn't known."""

    def __init__(self) -> None:
        self.contexts: dict[LaunchContext, None] = {}
        self.open = False

    def activity(self) -> KernelActivity:
        contexts = sorted(self.contexts, key=repr)
        if contexts:
            return KernelActivity("active", tuple(contexts[:CONTEXT_LIMIT]))
        return KernelActivity("unknown" if self.open else "inactive")


def launch_contexts(traces: Iterable[Trace], settings: Settings) -> dict[Location, KernelActivity]:
    """Activity of every kernel that some trace launches, by `Effects.location`."""
    contexts = Contexts()
    for trace in traces:
        if any(isinstance(event, Launch) for event in trace.events):
            contexts.add(Analysis(trace, settings))
    return contexts.result()


class Contexts:
    """Collects the contexts of launches from analysed traces."""

    def __init__(self) -> None:
        self._seen: dict[Location, _Seen] = {}

    def add(self, analysis: Analysis) -> None:
        for location, context in _of_trace(analysis):
            record = self._seen.setdefault(location, _Seen())
            if context is None:
                record.open = True
            elif context is not _INACTIVE:
                record.contexts[context] = None

    def result(self) -> dict[Location, KernelActivity]:
        return {location: record.activity() for location, record in sorted(self._seen.items())}


_INACTIVE = LaunchContext(frozenset(), frozenset(), frozenset())


def _of_trace(analysis: Analysis) -> Iterator[tuple[Location, LaunchContext | None]]:
    """A context per launch; None where the trace does not show whether it is differentiated."""
    trace = analysis.trace
    for _ in range(REPAIRS):
        repaired = analysis.repaired()
        if repaired is None:
            break
        analysis = repaired  # a kernel behind a cut is judged as if the cut were mended
    differentiated: dict[int, list[Result]] = {}
    for result in analysis.results:
        for operation in result.window.operations:
            differentiated.setdefault(operation, []).append(result)
    for event in trace.events:
        if isinstance(event, RecordFunction):
            for inner in event.body or ():
                if isinstance(inner, Launch) and inner.adjoint and inner.effects is not None:
                    active = _carrying(analysis, inner)
                    yield (
                        inner.effects.location,
                        LaunchContext(active, scalars=_scalars(inner), assumed=inner.assumed),
                    )
    for index, event in enumerate(trace.events):
        if not isinstance(event, Launch) or event.effects is None:
            continue
        location = event.effects.location
        if event.adjoint:
            yield location, LaunchContext(_carrying(analysis, event), scalars=_scalars(event), assumed=event.assumed)
        elif index in differentiated:
            yield location, _context(analysis, index, event, differentiated[index])
        elif recorded(event):
            yield location, None  # a tape holds it, but its backward pass isn't seen
        else:
            yield location, _INACTIVE


def _carrying(analysis: Analysis, event: Launch) -> frozenset[Path]:
    return frozenset(
        path
        for path, array in event.arguments.items()
        if array.floating and array.gradient_of is None and analysis.flow.has_gradient(array) is not False
    )


def _scalars(event: Launch) -> tuple[tuple[Path, object], ...]:
    """Integers, and what the kernel captures (which is no parameter of it)."""
    names = {parameter.name for parameter in event.effects.parameters} if event.effects is not None else set()
    known = [(p, v) for p, v in event.scalars.items() if isinstance(v, int) or p[0] not in names]
    return tuple(sorted(known, key=repr))


def _context(analysis: Analysis, index: int, event: Launch, results: list[Result]) -> LaunchContext:
    readings = analysis.flow.readings.get(index, {})
    varied = None
    if analysis.flow.interest:
        varied = frozenset(
            path
            for path, reading in readings.items()
            if reading.actual in (Tier.MAYBE, Tier.INTEREST) and not _only_extrema(analysis, index, event, path)
        )
    useful: frozenset[Path] = frozenset().union(*(r.useful.get(index, frozenset()) for r in results))
    second = analysis.trace.second_call_from
    assumed = event.assumed or (second is not None and index >= second)
    sizes = _sizes(analysis, event)
    return LaunchContext(
        _carrying(analysis, event), useful, varied, _scalars(event), _aliases(event), assumed, _zeros(event), sizes
    )


def _zeros(event: Launch) -> frozenset[Path]:
    """Fields of structs that hold zero, as those that nothing has set do."""
    return frozenset(path for path, value in event.scalars.items() if len(path) > 1 and value == 0)


def _sizes(analysis: Analysis, event: Launch) -> tuple[tuple[Path, tuple[int | None, ...]], ...]:
    """Shapes of the arrays that the kernel indexes from the end."""
    found = []
    for path in sorted(event.effects.from_end if event.effects is not None else ()):
        array = event.arguments.get(path)
        root = analysis.trace.roots.get(array.region.root) if array is not None else None
        if array is not None and root is not None and root.shape is not None and not array.region.extents:
            found.append((path, root.shape))
    return tuple(found)


def _only_extrema(analysis: Analysis, index: int, event: Launch, path: Path) -> bool:
    """What an array holds comes from constants and earlier minima or maxima, whose adjoints compare again."""
    if event.effects is None or path not in event.effects.extrema:
        return False
    array = event.arguments[path]
    if analysis.flow.own_tier(array) in (Tier.MAYBE, Tier.INTEREST):
        return False
    return all(
        _compares(analysis.events[number], change.path)
        for number, changes in analysis.timeline.changes.items()
        for change in changes
        if number < index and change.place.region.root == array.region.root
    )


def _compares(event: Event, path: Path) -> bool:
    """A write of constants, or of minima and maxima only."""
    if isinstance(event, Launch) and event.effects is not None and not event.effects.flows.get(path):
        return path in event.effects.flows
    return extremal(event, path) or not isinstance(event, Launch | Copy)


def _aliases(event: Launch) -> tuple[frozenset[Path], ...]:
    """Groups of parameters that are the same memory."""
    paths = sorted(event.arguments)
    groups: list[frozenset[Path]] = []
    for position, path in enumerate(paths):
        region = event.arguments[path].region
        same = [p for p in paths[position:] if overlap(event.arguments[p].region, region) is Overlap.YES]
        if len(same) > 1 and not any(path in group for group in groups):
            groups.append(frozenset(same))
    return tuple(groups)
