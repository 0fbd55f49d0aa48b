"""The recorded tape as a picture: steps in order, arrays as lanes, overwrites marked."""

from __future__ import annotations

import math
from typing import Any

from warp_lint.report.html_parts import shortened, tag, text, title

LANE = 24
TOP = 96
LEFT = 190
LEGEND = (
    ("r", "read"),
    ("w", "written"),
    ("c", "cleared or filled"),
    ("o", "overwritten while its old value is still needed"),
)


def tape(data: dict[str, Any]) -> str:
    """The section for `picture()`'s data; empty if there is nothing to show."""
    columns, lanes = data.get("columns", []), data.get("lanes", [])
    if not columns or not lanes:
        return ""
    more = f" {data['hidden']} more arrays are not shown." if data.get("hidden") else ""
    legend = "".join(f'<span><i class="{name}"></i>{label}</span>' for name, label in LEGEND)
    drawing = _Drawing(columns, lanes, data.get("arcs", []))
    return (
        f'<h2>The tape</h2><p class="soft">{len(columns)} steps in order, from the tape\'s entry to its backward. '
        f'One lane per array name.{more}</p><p class="legend soft">{legend}</p>'
        f'<div class="scroll"><div class="tape">{drawing.labels()}{drawing.steps()}</div></div>'
    )


class _Drawing:
    def __init__(self, columns: list[dict[str, Any]], lanes: list[dict[str, Any]], arcs: list[dict[str, Any]]) -> None:
        self.columns, self.lanes, self.arcs = columns, lanes, arcs
        self.pitch = max(min(56, 1000 // len(columns)), 9)
        self.width = self.pitch * len(columns) + 70
        self.height = TOP + LANE * len(lanes) + 12
        self.row = {lane["name"]: TOP + LANE * i + LANE // 2 for i, lane in enumerate(lanes)}
        self.size = min(6.0, self.pitch / 2 - 0.5)

    def x(self, column: int) -> float:
        return 12 + self.pitch * (column + 0.5)

    def labels(self) -> str:
        parts = []
        for lane in self.lanes:
            many = tag("tspan", f" ({lane['arrays']})", cls="dim") if lane["arrays"] > 1 else ""
            name = text(shortened(lane["name"], 18)) + many + title(lane["name"])
            parts.append(tag("text", name, x=10, y=self.row[lane["name"]] + 4))
        return tag("svg", "".join(parts), cls="labels", width=LEFT, height=self.height)

    def steps(self) -> str:
        parts = [tag("line", x1=0, x2=self.width, y1=y, y2=y, cls="lane") for y in self.row.values()]
        every = max(math.ceil(16 / self.pitch), 1)
        for number, column in enumerate(self.columns):
            parts += self._column(number, column, labelled=number % every == 0)
        for lane in self.lanes:
            parts += [self._mark(lane["name"], column, what) for column, what in lane["marks"]]
        for arc in self.arcs:
            if arc["lane"] in self.row:
                parts += self._arc(arc)
        label = "the recorded tape"
        return tag("svg", "".join(parts), width=self.width, height=self.height, role="img", aria_label=label)

    def _column(self, number: int, column: dict[str, Any], labelled: bool) -> list[str]:
        x = self.x(number)
        off = "" if column["taped"] or column["kind"] == "backward" else ", not on the tape"
        where = f"{column['path']}:{column['line']}"
        note = title(f"{number + 1}. {column['name']} ({column['kind']}{off})\n{where}")
        color = "var(--ink)" if column["taped"] else "var(--soft)"
        parts = []
        if column["kind"] == "backward":
            color = "var(--bad)"
            parts.append(tag("line", x1=x, x2=x, y1=TOP - 8, y2=self.height, cls="back"))
        if labelled or column["kind"] == "backward":
            turn = f"translate({x + 3:.1f} {TOP - 12}) rotate(-50)"
            name = text(shortened(column["name"], 15)) + note
            parts.append(tag("text", name, transform=turn, style=f"fill:{color}"))
        left, tall = x - self.pitch / 2, self.height - TOP + 8
        parts.append(tag("rect", note, x=left, y=TOP - 8, width=self.pitch, height=tall, cls="hit"))
        return parts

    def _mark(self, lane: str, column: int, what: str) -> str:
        x, y, size = self.x(column), self.row[lane], self.size
        step = self.columns[column]
        note = title(f"{lane}: {what} by {step['name']}\n{step['path']}:{step['line']}")
        if what == "read":
            return tag("circle", note, cx=x, cy=y, r=size - 1, cls="r")
        if what == "clear":
            corners = ((x, y - size), (x + size, y), (x, y + size), (x - size, y))
            return tag("polygon", note, points=" ".join(f"{a:.1f},{b:.1f}" for a, b in corners), cls="c")
        side = 2 * size - 2
        return tag("rect", note, x=x - size + 1, y=y - size + 1, width=side, height=side, cls="w")

    def _arc(self, arc: dict[str, Any]) -> list[str]:
        a, b, y, size = self.x(arc["from"]), self.x(arc["to"]), self.row[arc["lane"]], self.size
        note = title(arc["text"])
        parts = []
        if arc["from"] != arc["to"]:
            top = y - min(18.0, 6 + (b - a) / 6)
            parts.append(tag("path", note, d=f"M{a:.1f} {y} Q{(a + b) / 2:.1f} {top:.1f} {b:.1f} {y}", cls="a"))
        side = 2 * size + 2
        parts.append(tag("rect", note, x=b - size - 1, y=y - size - 1, width=side, height=side, cls="o"))
        return parts
