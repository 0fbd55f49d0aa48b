"""CUDA graph capture: what is captured is recorded, not run; each launch of the graph runs it.

The events of the captured code move to the first launch of the graph. Later launches run the same work
again without a tape being entered: only what happens to gradients is repeated in the trace.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from warp_lint.host.machine import Machine
from warp_lint.host.values import Native
from warp_lint.trace import model

_REPEATED = (model.Backward, model.GradientRead, model.GradientWrite, model.OptimizerStep)


def begin(m: Machine) -> None:
    m.captures.append((len(m.trace.events), len(m.loops), len(m.guards)))


def end(m: Machine, graph: Native) -> None:
    """The events since `begin` belong to the graph."""
    if not m.captures or m.trace is m.sink:
        return
    start, loops, guards = m.captures.pop()
    events = m.trace.events[start:]
    del m.trace.events[start:]
    graph.state.update(events=events, place=start, loops=loops, guards=guards, launched=False)
    m.graphs.append(graph)


def enter(m: Machine, capture: Native) -> Callable[[], bool]:
    """`with wp.ScopedCapture() as capture`: gives the closure that leaves."""
    begin(m)

    def leave() -> bool:
        graph = capture.state.setdefault("graph", m.native("graph", capture.name))
        end(m, graph)
        return False

    return leave


def launch(m: Machine, graph: Any) -> None:
    """`wp.capture_launch(graph)`."""
    if not isinstance(graph, Native) or "events" not in graph.state or m.trace is m.sink:
        return
    state = graph.state
    if "forward" not in state:
        state["forward"] = any(isinstance(e, model.Launch) and e.recorded for e in state["events"])
    first = not state["launched"]
    state["launched"] = True
    tape = m.tapes[-1].id if m.tapes else None
    for event in state["events"]:
        again = isinstance(event, _REPEATED) or (isinstance(event, model.TapeEvent) and event.action == "zero")
        if first or again:
            copied = replace(
                event,
                tape=event.tape if first else tape,
                loops=(*m.loops, *event.loops[state["loops"] :]),
                guards=(*m.guards, *event.guards[state["guards"] :]),
                assumed=event.assumed or m.assumed > 0,
            )
            if isinstance(copied, model.Backward) and not first:
                copied.replayed = state["forward"]
            m.trace.events.append(copied)


def flush(m: Machine) -> None:
    """Graphs that nothing launched in this run: as if launched where they were captured."""
    trace = m.trace
    for graph in reversed(m.graphs):
        if not graph.state["launched"]:
            place, events = graph.state["place"], graph.state["events"]
            trace.events[place:place] = events
            if trace.second_call_from is not None and trace.second_call_from > place:
                trace.second_call_from += len(events)
    m.graphs = []
