"""Loops: known bounds within a budget, then a jump to the last iteration; unknown bounds a few times.

Too small a budget doesn't lose findings, it invents them: at least three iterations, and every jump
is an event of its own.
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any

from warp_lint.findings import Location
from warp_lint.host import containers
from warp_lint.host.branches import BREAK, CONTINUE, RETURN
from warp_lint.host.machine import LOOP_STEPS, QUIET_LOOP_STEPS, Frame, LeaveGeneratorError, Machine
from warp_lint.host.values import GeneratorValue, Unknown
from warp_lint.trace import model

Expression = Callable[[Frame], Any]
Statement = Callable[[Frame], "int | None"]
Store = Callable[[Frame, Any], None]

FEW = 3  # iterations that always run
SMALL = 4  # a loop around a tape runs fully up to this bound


class _Progress:
    """Counts one execution of a loop, and decides when to stop running every iteration."""

    def __init__(self, m: Machine, frame: Frame, node: ast.For | ast.AsyncFor | ast.While) -> None:
        m.loop_count += 1
        self.m = m
        self.id = m.loop_count
        self.frame = frame
        self.base = m.loops
        self.guards = m.guards
        self.truths = m.truths
        self.kept = len(frame.kept)
        self.steps = m.steps
        self.events = len(m.trace.events)
        self.broken = 0
        self.taped = False
        self.location = _loop_location(m, frame, node)

    def enter(self, iteration: int) -> None:
        self.m.loops = (*self.base, model.LoopStep(self.id, iteration, self.location))

    def leave(self) -> None:
        """After an iteration: guards of arms that only left the iteration end here."""
        m = self.m
        kept = self.frame.kept[self.kept :]
        m.guards = (*self.guards, *kept) if kept else self.guards
        if not kept:
            m.truths = self.truths

    def finish(self) -> None:
        self.m.loops = self.base

    def enough(self, done: int) -> bool:
        """Have enough iterations run, `done` so far?"""
        m = self.m
        events = m.trace.events
        if done == 1:
            self.taped = any(
                isinstance(e, model.Backward) or (isinstance(e, model.TapeEvent) and e.action == "enter")
                for e in events[self.events :]
            )
        used = m.steps - self.steps
        if self.taped and done >= 2:
            return True
        if done < FEW:
            return False
        return used > (LOOP_STEPS if len(events) > self.events else QUIET_LOOP_STEPS)

    def gap(self) -> None:
        self.m.emit(model.Gap, loop=self.id)


def _loop_location(m: Machine, frame: Frame, node: ast.For | ast.AsyncFor | ast.While) -> Location:
    head = node.test if isinstance(node, ast.While) else node.iter
    found = m.locations.get(node)
    if found is None:
        module = frame.module.module
        start, end = module.location(node), module.location(head)
        found = m.locations[node] = Location(start.path, start.line, start.column, end.end_line, end.end_column)
    return found


def for_loop(
    m: Machine,
    node: ast.For | ast.AsyncFor,
    iterable: Expression,
    store: Store,
    body: Statement,
    orelse: Statement | None,
) -> Statement:
    header = node.iter

    def run(frame: Frame) -> int | None:
        value = iterable(frame)
        if isinstance(value, GeneratorValue) and value.started is None:
            return _over_generator(m, frame, node, value, store, body)
        sequence = containers.sequence(m, value)
        length = sequence.length
        get = sequence.get
        progress = _Progress(m, frame, node)
        broke = False
        try:
            if isinstance(length, int):
                index, last = 0, length - 1
                while index <= last:
                    progress.enter(index)
                    frame.node = header
                    store(frame, get(index))
                    signal = body(frame)
                    progress.leave()
                    if signal == RETURN:
                        return RETURN
                    if signal == BREAK:
                        broke = True
                        break
                    index += 1
                    if index < last and progress.enough(index) and not (progress.taped and length <= SMALL):
                        progress.gap()
                        index = last
            else:
                symbolic = isinstance(length, Unknown)
                if isinstance(length, Unknown) and (length.at_least() or 0) < FEW:
                    length.base.lower = FEW - length.offset
                for step in range(FEW):
                    progress.enter(step)
                    frame.node = header
                    at: Any = step
                    if step == FEW - 1:
                        progress.gap()
                        if symbolic:
                            at = length.shift(-1)
                    store(frame, get(at))
                    signal = body(frame)
                    progress.leave()
                    if signal == RETURN:
                        return RETURN
                    if signal == BREAK:
                        broke = True
                        break
        finally:
            progress.finish()
        return orelse(frame) if orelse is not None and not broke else None

    return run


def _over_generator(
    m: Machine, frame: Frame, node: ast.For | ast.AsyncFor, generator: GeneratorValue, store: Store, body: Statement
) -> int | None:
    """Run the generator with the loop's body as what happens at each `yield`."""
    progress = _Progress(m, frame, node)
    token = object()
    outcome: list[int] = []
    count = [0]

    def step(value: Any) -> Any:
        inner, loops = m.frame, m.loops
        m.frame = frame
        progress.enter(count[0])
        frame.node = node.iter
        try:
            store(frame, value)
            signal = body(frame)
        finally:
            progress.leave()
            m.frame, m.loops = inner, loops
        count[0] += 1
        if signal in (RETURN, BREAK):
            outcome.append(signal)
            raise LeaveGeneratorError(token)
        if progress.enough(count[0]):
            progress.gap()
            raise LeaveGeneratorError(token)
        return None

    try:
        generator.run(step)
    except LeaveGeneratorError as leave:
        if leave.token is not token:
            raise
    finally:
        m.frame = frame
        progress.finish()
    return RETURN if RETURN in outcome else None


def while_loop(m: Machine, node: ast.While, test: Expression, body: Statement, orelse: Statement | None) -> Statement:
    header = node.test

    def run(frame: Frame) -> int | None:
        progress = _Progress(m, frame, node)
        done = 0
        try:
            while True:
                m.steps += 1
                if m.steps > m.limit:
                    m.overrun()
                frame.node = header
                value = test(frame)
                if value is False:
                    break
                unknown = value is not True or m.loop_breaks > progress.broken
                if done >= FEW and unknown:
                    progress.gap()
                    break
                if done and progress.enough(done):
                    progress.gap()
                    break
                progress.enter(done)
                breaks = m.loop_breaks
                signal = body(frame)
                if m.loop_breaks > breaks:
                    progress.broken = breaks
                else:
                    progress.broken = m.loop_breaks
                progress.leave()
                if signal == RETURN:
                    return RETURN
                if signal == BREAK:
                    return None
                done += 1
        finally:
            progress.finish()
        return orelse(frame) if orelse is not None else None

    return run


_ = CONTINUE
