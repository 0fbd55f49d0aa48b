"""Plots of autodiff against finite differences: a point per element, on the diagonal where they agree."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from warp_lint.report.html_parts import tag, text, title

SIDE = 280
PAD = 62
MAX_PLOTS = 12
AGREEMENT = 0.01

Row = tuple[int, float, float]


def plots(program: dict[str, Any]) -> str:
    """The section for the first wrong backward, else the last right one."""
    backwards = program["backwards"]
    chosen = next((b for b in backwards if b["status"] == "wrong"), None)
    chosen = chosen or next((b for b in reversed(backwards) if b["status"] == "right"), None)
    if chosen is None:
        return ""
    figures = []
    for parameter in chosen.get("parameters", ()):
        rows = [(r["index"], r["ad"], r["ideal"] if r["fd"] is None else r["fd"]) for r in parameter["elements"]]
        rows = [row for row in rows if all(_finite(value) for value in row)]
        if rows:
            figures.append(plot(parameter["name"], rows))
    if not figures:
        return ""
    head = f"<h2>Autodiff against finite differences (backward {chosen['number']})</h2>"
    return head + tag("div", "".join(figures[:MAX_PLOTS]), cls="plots")


def _finite(value: object) -> bool:
    return isinstance(value, int | float) and math.isfinite(value)


def plot(name: str, rows: Sequence[Row]) -> str:
    values = [v for _, ad, fd in rows for v in (ad, fd)]
    low, high = min(values), max(values)
    margin = (high - low) * 0.08 or abs(high) * 0.1 or 1.0
    bottom, span, inner = low - margin, high - low + 2 * margin, SIDE - PAD - 10
    base = 6 + inner

    def place(value: float) -> float:
        return (value - bottom) / span * inner

    parts = [
        tag("rect", x=PAD, y=6, width=inner, height=inner, cls="frame"),
        tag("line", x1=PAD, y1=base, x2=PAD + inner, y2=6, cls="diagonal"),
    ]
    for index, ad, fd in rows:
        off = abs(ad - fd) > AGREEMENT * max(abs(ad), abs(fd), 1e-12)
        note = title(f"{name}.grad[{index}]: AD {ad:.6g}, FD {fd:.6g}")
        parts.append(tag("circle", note, cx=PAD + place(fd), cy=base - place(ad), r=4, cls="far" if off else "near"))
    ticks = ((low, "start"), (high, "end")) if high > low else ((low, "middle"),)
    for value, anchor in ticks:
        label = f"{value:.2g}"
        parts.append(tag("text", label, x=PAD + place(value), y=base + 18, text_anchor=anchor, cls="dim"))
        parts.append(tag("text", label, x=PAD - 5, y=base + 4 - place(value), text_anchor="end", cls="dim"))
    parts.append(tag("text", "FD", x=PAD + inner / 2, y=SIDE - 12, text_anchor="middle", cls="dim"))
    turn = f"translate(12 {6 + inner / 2:.0f}) rotate(-90)"
    parts.append(tag("text", "AD", transform=turn, text_anchor="middle", cls="dim"))
    count = f"{len(rows)} element{'' if len(rows) == 1 else 's'}"
    caption = tag("figcaption", f"<code>{text(name)}.grad</code>, {count}")
    return tag("figure", tag("svg", "".join(parts), width=SIDE, height=SIDE) + caption)
