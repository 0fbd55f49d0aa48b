"""The stretch of a recording that one backward differentiates: its steps, memory regions and the
contents that its adjoints should see."""

from __future__ import annotations

import functools
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from warp_lint.confirm.live.handles import Handles, States
from warp_lint.confirm.live.internals import Warp
from warp_lint.confirm.live.memory import Content, locate, merged, raw
from warp_lint.confirm.live.sources import stored_first
from warp_lint.confirm.live.steps import NOWHERE, Site, Step, TapeRecord, Touch


class Unfit(Exception):
    """This backward can't be judged; the message says why."""


@dataclass(slots=True, eq=False)
class Stale:
    """`touch` of `step` needs `content`, but memory holds something else at backward time.

    `writer` is the first step that changed it (None: something outside Warp), `own` if that is the step itself.
    """

    step: Step
    touch: Touch
    content: Content
    writer: Step | None
    own: bool = False

    @property
    def group(self) -> tuple[Any, ...]:
        site = self.writer.site if self.writer is not None else NOWHERE
        kind = self.writer.kind if self.writer is not None else "external"
        if self.own:
            return ("own", self.step.name, site)
        return ("overwrite", kind, site, self.writer.name if self.writer is not None else "")


@dataclass(slots=True, eq=False)
class Region:
    """Bytes that some steps touch together. `deltas`: where live arrays over it keep their gradients."""

    index: int
    low: int
    high: int
    name: str = ""
    deltas: set[int | None] = field(default_factory=set)
    touches: list[tuple[Step, Touch]] = field(default_factory=list)
    leaf: bool = False
    seed: bool = False
    written: bool = False

    @property
    def size(self) -> int:
        return self.high - self.low

    @property
    def floating(self) -> bool:
        return any(touch.element.floating for _, touch in self.touches)

    @property
    def carries(self) -> bool:
        return any(touch.element.carries for _, touch in self.touches)

    def element(self) -> Any:
        for _, touch in self.touches:
            if touch.element.floating:
                return touch.element
        return self.touches[0][1].element


@dataclass(slots=True, eq=False)
class External:
    """A change that no step explains: bytes `[low, high)` where `mask`, now `content`."""

    low: int
    content: Content
    mask: Content
    before: Step | None


class Window:
    """Steps of a tape, with what happened between and after them, up to its backward.

    `entries`: the tape's own steps in order. `timeline`: those and every untaped change inside the tape's
    scope, in order (`External` among them). `later`: changes after the last entry. Raises `Unfit`.
    """

    def __init__(
        self,
        warp: Warp,
        steps: list[Step],
        record: TapeRecord,
        prefix: list[Step] | None = None,
        states: States | None = None,
    ) -> None:
        self.warp = warp
        self.states = states or States(warp, Handles())
        self.record = record
        self.entries: list[Step] = []
        for entry in record.tape.launches:
            step = record.steps.get(id(entry))
            if step is None or step.entry is not entry:
                raise Unfit("the tape holds entries that were not seen being recorded")
            self.entries.append(step)
        if record.overflow:
            raise Unfit(record.overflow)
        if not self.entries:
            raise Unfit("the tape is empty")
        if not all(step.held for step in self.entries):
            raise Unfit("the contents of a step were not kept")
        first = min(self.entries[0].index, record.entered_at if record.enters == 1 else self.entries[0].index)
        last = self.entries[-1].index
        self.taped = {id(step) for step in self.entries}
        self.refilled: set[int] = set()  # regions that start with what the host fills them with in the tape's scope
        within = [s for s in steps if first <= s.index <= last and (id(s) in self.taped or self._changes(s))]
        self.first = first
        self.prefix = prefix or []
        self.timeline: list[Step | External] = [*self.prefix, *within]
        self.later = [s for s in steps if s.index > last and self._changes(s)]
        self._regions()
        self._externals()

    @staticmethod
    def _changes(step: Step) -> bool:
        return step.held and step.kind in ("launch", "copy", "fill", "call", "handle") and step.detail != "adjoint"

    # Regions

    def _regions(self) -> None:
        steps = [s for s in self.timeline if isinstance(s, Step)]
        reached = merged([(t.low, t.high) for s in steps for t in s.touches])
        self.later = [s for s in self.later if any(self._meets(reached, t) for t in s.touches)]
        extents = [(t.low, t.high) for s in (*steps, *self.later) for t in s.touches]
        self.extents = merged(extents)
        self.regions = [Region(i, low, high) for i, (low, high) in enumerate(self.extents)]
        for step in (*steps, *self.later):
            for touch in step.touches:
                region = self.region(touch.low)
                region.touches.append((step, touch))
                if not region.name or region.name.startswith("?"):
                    region.name = touch.name or region.name or f"?{'.'.join(touch.path)}"
        for region in self.regions:
            region.name = region.name.lstrip("?")
        for step in self.entries:
            for position, touch in enumerate(step.touches):
                if touch.after is not None and not (step.kind == "copy" and position == 1):
                    self.region(touch.low).written = True

    @staticmethod
    def _meets(extents: list[tuple[int, int]], touch: Touch) -> bool:
        return any(low < touch.high and touch.low < high for low, high in extents)

    def region(self, address: int) -> Region:
        return self.regions[locate(self.extents, address)]

    def flows(self, step: Step) -> bool:
        """Whether an unrecorded copy of this window moves values that the window knows (not host data)."""
        if step.tape is None and step not in self.prefix:
            return False
        source = step.touches[1]
        return any(other is not step for other, _ in self.region(source.low).touches)

    # Contents

    def _externals(self) -> None:
        """Find changes that no step made, and the contents every region starts with."""
        self.initial: dict[int, Content] = {r.index: raw(r.low, r.high).copy() for r in self.regions}
        state = {r.index: np.zeros(r.size, np.uint8) for r in self.regions}
        known = {r.index: np.zeros(r.size, bool) for r in self.regions}
        seen: dict[tuple[int, int], Any] = {}
        timeline: list[Step | External] = []
        self.after_entries: dict[int, tuple[Content, Content]] = {}
        steps = [s for s in self.timeline if isinstance(s, Step)]
        for step in (*steps, *self.later):
            changes: list[External] = []
            for touch in step.touches:
                if touch.before is None:
                    continue
                key = (touch.low, touch.high)
                region = self.region(touch.low)
                if seen.get(key) is not touch.before:
                    part = slice(touch.low - region.low, touch.high - region.low)
                    now, told = state[region.index][part], known[region.index][part]
                    differs = told & (now != touch.before)
                    if differs.any():
                        changes.append(External(touch.low, touch.before, differs.copy(), step))
                    fresh = ~told
                    if fresh.any():
                        self.initial[region.index][part][fresh] = touch.before[fresh]
                    now[:] = touch.before
                    told[:] = True
                    seen[key] = touch.before
            if step in self._entry_set or step.index <= self.entries[-1].index:
                timeline.extend(changes)
                timeline.append(step)
            for touch in step.touches:
                if touch.after is not None:
                    region = self.region(touch.low)
                    part = slice(touch.low - region.low, touch.high - region.low)
                    state[region.index][part] = touch.after
                    known[region.index][part] = True
                    for key in [k for k in seen if k[0] < touch.high and touch.low < k[1]]:
                        del seen[key]
                    seen[(touch.low, touch.high)] = touch.after
            if step is self.entries[-1]:
                self.after_entries = {i: (s.copy(), known[i].copy()) for i, s in state.items()}
        self.timeline = timeline

    def start_after_fills(self) -> bool:
        """Let arrays that the host fills as a whole, before anything else touches them, start with that: the
        gradient that the tape gives them is that of the new contents. False if there are none."""
        begun: set[int] = set()
        kept: list[Step | External] = []
        for item in self.timeline:
            if isinstance(item, External):
                kept.append(item)
                continue
            indices = [self.region(touch.low).index for touch in item.touches]
            filled = self._filled(item)
            if filled is not None and indices[0] not in begun:
                self.initial[indices[0]] = filled.copy()
                self.refilled.add(indices[0])
                continue
            begun.update(indices)
            kept.append(item)
        changed = len(kept) < len(self.timeline)
        self.timeline = kept
        return changed

    def _filled(self, step: Step) -> Content | None:
        """What the host fills one whole region with by this step, off the tape; None if the step isn't that."""
        if id(step) in self.taped or not step.touches:
            return None
        if step.kind != "fill" and not (step.kind == "copy" and step.detail == "assign" and not self.flows(step)):
            return None
        touch = step.touches[0]
        region = self.region(touch.low)
        whole = touch.view().nbytes == region.size and (touch.low, touch.high) == (region.low, region.high)
        return touch.final() if whole else None

    @functools.cached_property
    def _entry_set(self) -> set[Step]:
        return set(self.entries)

    @property
    def externals(self) -> list[External]:
        return [item for item in self.timeline if isinstance(item, External)]

    # What adjoints need

    def needed(self, step: Step, touch: Touch) -> Content | None:
        """The contents that the adjoint of `step` should see in `touch`."""
        if touch.after is None or step.kind != "launch":
            return touch.before
        if self.stores_first(step, touch):
            return touch.after
        return touch.before

    def stores_first(self, step: Step, touch: Touch) -> bool:
        return step.kernel is not None and touch.path in stored_first(step.kernel)

    def stale(self) -> list[Stale]:
        """Every touch of the tape's steps whose needed contents are not in memory now.

        Of what a step changed itself and others later, both are listed, the step's own last: it is restored last.
        """
        result: list[Stale] = []
        for step in self.entries:
            if step.kind not in ("launch", "function"):
                continue
            for touch in step.touches:
                content = self.needed(step, touch)
                if content is None:
                    continue
                now = raw(touch.low, touch.high)
                if np.array_equal(now, content):
                    continue
                own = touch.after is not None and content is touch.before
                left = touch.after if own else content
                if left is not None and not np.array_equal(now, left):
                    result.append(Stale(step, touch, left, self._writer(step, touch, left)))
                if own:
                    result.append(Stale(step, touch, content, step, True))
        return result

    def _writer(self, step: Step, touch: Touch, content: Content) -> Step | None:
        """The first step after one that made contents what they should not be."""
        for other, change in self.region(touch.low).touches:
            if other.index <= step.index or change.after is None:
                continue
            low, high = max(touch.low, change.low), min(touch.high, change.high)
            if low >= high:
                continue
            old = content[low - touch.low : high - touch.low]
            new = change.after[low - change.low : high - change.low]
            if not np.array_equal(old, new):
                return other
        return None


__all__ = ["External", "Region", "Site", "Stale", "Unfit", "Window"]
