"""Gradients that a tape misses because part of the forward ran before it, or on another tape."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from warp_lint.confirm.live.memory import locate, merged
from warp_lint.confirm.live.shadow import Everything, Shadow
from warp_lint.confirm.live.steps import Step
from warp_lint.confirm.live.window import Window

if TYPE_CHECKING:
    from warp_lint.confirm.live.checks import Check

MAX_PREFIX = 600


def unrecorded_forward(check: Check, ideal: Any) -> list[dict[str, Any]]:
    """Arrays with a gradient that this tape's outputs depend on through earlier steps only.

    Each: `pointer` of the gradient memory, `array`, `values` (the gradient along the whole path), `site` of
    the first step that is not on the tape, `other` (that step is on another tape).
    """
    window, recorder = check.window, check.recorder
    if recorder is None or not check.shadow.seeds:
        return []
    prefix = _prefix(check, ideal)
    if not prefix:
        return []
    extended = Window(check.warp, check.steps, check.record, prefix, window.states)
    shadow = Shadow(check.warp, extended)
    for (index, delta), (low, content, mask) in check.shadow.seeds.items():
        place = locate(extended.extents, window.regions[index].low)
        extended.regions[place].seed = True
        shadow.seeds[(place, delta)] = (low, content, mask)
    gradients = shadow.sweep(Everything())
    result: list[dict[str, Any]] = []
    seen: set[int] = set()
    for step in prefix:
        for touch in step.touches:
            if touch.delta is None or not touch.element.floating or touch.low + touch.delta in seen:
                continue
            if locate(window.extents, touch.low) >= 0 or touch.after is not None:
                continue
            region = extended.region(touch.low)
            key = shadow.user_key(region, touch.delta, Everything())
            content = gradients.get(key)
            if content is None:
                continue
            values = touch.view(content.ctypes.data - region.low).astype(float).ravel()
            if values.any() and np.all(np.isfinite(values)):
                seen.add(touch.low + touch.delta)
                result.append(
                    {
                        "pointer": touch.pointer + touch.delta,
                        "array": touch.label,
                        "values": values[:4096].tolist(),
                        "site": [step.site.path, step.site.line],
                        "actor": step.name,
                        "other": step.recorded,
                    }
                )
    return result


def _prefix(check: Check, ideal: Any) -> list[Step]:
    """Earlier steps that made what this tape reads, back to where gradients or the host come in."""
    window, recorder = check.window, check.recorder
    assert recorder is not None
    wanted = [
        (r.low, r.high) for r in window.regions if r.leaf and any(k[0] == r.index and v.any() for k, v in ideal.items())
    ]
    chosen: list[Step] = []
    for step in reversed(check.steps):
        if step.index >= window.first or not step.held or not wanted:
            continue
        if step.kind not in ("launch", "copy", "fill") or step.detail == "adjoint":
            continue
        writes = step.touches[:1] if step.kind in ("copy", "fill") else step.touches
        written = [t for t in writes if (t.after is not None or step.kind == "fill") and _meets(wanted, t.low, t.high)]
        if not written:
            continue
        if any(recorder.primal(t.pointer) is not None for t in step.touches):
            return []
        chosen.append(step)
        if step.kind == "launch":
            wanted = merged([*wanted, *((t.low, t.high) for t in step.touches if t.element.floating)])
        elif step.kind == "copy":
            wanted = merged([*wanted, *((t.low, t.high) for t in step.touches[1:])])
        if len(chosen) >= MAX_PREFIX:
            return []
    chosen.reverse()
    return chosen if any(s.kind == "launch" for s in chosen) else []


def _meets(extents: list[tuple[int, int]], low: int, high: int) -> bool:
    return any(a < high and low < b for a, b in extents)


def ideal_sweep(check: Check) -> tuple[Any, list[dict[str, Any]]]:
    """The ideal gradients, and intermediate arrays whose gradient backward uses up: what it would have been, for
    those who read it."""
    shadow, window = check.shadow, check.window
    result: list[dict[str, Any]] = []
    seen: set[int] = set()
    on = check.everything()

    def watch(step: Step, gradient: Any, _: Any, before: bool) -> bool:
        if not before:
            return True
        for touch in step.touches:
            region = window.region(touch.low)
            if (
                touch.after is None
                or touch.delta is None
                or region.index in seen
                or region.seed
                or region.leaf
                or not touch.element.floating
            ):
                continue
            seen.add(region.index)
            key = shadow.key(region, touch.delta, on)
            if key is None or touch.retain:
                continue
            values = touch.view(gradient(key).ctypes.data - region.low).astype(float).ravel()
            if values.any() and np.all(np.isfinite(values)):
                result.append(
                    {
                        "pointer": touch.pointer + touch.delta,
                        "array": touch.label,
                        "values": values[:4096].tolist(),
                        "site": [step.site.path, step.site.line],
                        "actor": step.name,
                        "consumed": True,
                    }
                )
        return False

    shadow.watch = watch
    try:
        return check.sweep(on), result
    finally:
        shadow.watch = None
