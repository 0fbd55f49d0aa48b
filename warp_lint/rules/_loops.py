"""Defects caused by rolled loops, told apart for ADJ105 and ADJ106."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass, field

from warp_lint.findings import Location, Note
from warp_lint.kernels.execute import drawn_from
from warp_lint.kernels.graph import Loop
from warp_lint.kernels.inspection import Inspection, call_notes, code_text
from warp_lint.kernels.replay import Defect


@dataclass(slots=True)
class Carried:
    """All defects of one name that one rolled loop assigns."""

    loop: Loop
    name: str
    inside: list[Defect] = field(default_factory=list)
    outside: list[Defect] = field(default_factory=list)
    before: list[Defect] = field(default_factory=list)
    around: list[Loop] = field(default_factory=list)  # other loops that carry it to the same assignment

    @property
    def keys(self) -> set[tuple[int, str]]:
        return {(loop.id, self.name) for loop in (self.loop, *self.around)}

    @property
    def defects(self) -> list[Defect]:
        return [*self.inside, *self.outside, *self.before]

    @property
    def paths(self) -> int:
        mask = 0
        for defect in self.defects:
            mask |= defect.need.partners
        return mask

    @property
    def unsure(self) -> bool:
        return all(defect.need.unsure for defect in self.defects)


def carried(inspection: Inspection) -> Iterator[Carried]:
    """One entry per name and assignment in a loop, in order of discovery: nested loops carry it together."""
    found: dict[tuple[int, str], Carried] = {}
    for group in inspection.groups:
        loop = group.cause.loop
        if loop is None or group.cause.kind not in ("carried", "result", "before"):
            continue
        entry = found.setdefault((loop.id, group.cause.name), Carried(loop, group.cause.name))
        if group.cause.kind == "before":
            entry.before.extend(group.defects)
        elif group.cause.kind == "result":
            entry.outside.extend(group.defects)
        else:
            for defect in group.defects:
                side = entry.inside if loop in defect.need.user.loops or _inner(defect, loop) else entry.outside
                side.append(defect)
    merged: dict[tuple[Location, str], Carried] = {}
    for entry in sorted(found.values(), key=lambda entry: (not entry.inside, -entry.loop.id)):
        first = merged.setdefault((place(entry.loop, entry.name), entry.name), entry)
        if first is not entry:
            first.around.append(entry.loop)
            first.inside += entry.inside
            first.outside += entry.outside
            first.before += entry.before
    yield from merged.values()


def _inner(defect: Defect, loop: Loop) -> bool:
    return loop in defect.need.value.loops


def assignment(loop: Loop, name: str) -> ast.AST:
    """The last statement in a loop that assigns a name or a component of it; the loop if there is none."""
    last: ast.AST | None = None
    nodes: list[ast.AST] = list(loop.node.body)
    for top in nodes:
        for node in ast.walk(top):
            targets: list[ast.expr] = []
            if isinstance(node, ast.Assign):
                targets = list(node.targets)
            elif isinstance(node, (ast.AugAssign, ast.AnnAssign)):
                targets = [node.target]
            elif last is None and (_passes(node, name) or (isinstance(node, ast.Call) and drawn_from(node) == name)):
                last = node
            for target in targets:
                for part in target.elts if isinstance(target, (ast.Tuple, ast.List)) else [target]:
                    root: ast.expr = part
                    while isinstance(root, (ast.Subscript, ast.Attribute)):
                        root = root.value
                    if isinstance(root, ast.Name) and root.id == name:
                        later = last is None or getattr(node, "lineno", 0) >= getattr(last, "lineno", 0)
                        last = node if later else last
    return last if last is not None else loop.node


def _passes(node: ast.AST, name: str) -> bool:
    """A call statement that gets the name, such as `wp.tile_matmul(a, b, name)`."""
    if not isinstance(node, ast.Expr) or not isinstance(node.value, ast.Call):
        return False
    return any(isinstance(argument, ast.Name) and argument.id == name for argument in node.value.args)


def place(loop: Loop, name: str) -> Location:
    return loop.frame.module.location(assignment(loop, name))


def notes(entry: Carried, defects: list[Defect], limit: int = 4) -> tuple[Note, ...]:
    at = place(entry.loop, entry.name)
    found: dict[object, Note] = {}
    for defect in defects:
        need = defect.need
        source = need.value if need.kind in ("condition", "bound") else need.user
        where = source.location
        key = (where.path, where.line)
        if key == (at.path, at.line) or key in found:
            continue
        what = code_text(source)
        role = {
            "condition": "decides",
            "index": "is an index of",
            "bound": "is a bound of",
        }.get(need.kind, "is needed by the adjoint of")
        found[key] = Note(
            where, f"`{entry.name}` {role} `{what}`" if role != "decides" else f"`{what}` is decided again"
        )
        if len(found) >= limit:
            break
    loop_line = entry.loop.frame.module.location(entry.loop.node)
    header = Note(
        Location(loop_line.path, loop_line.line, loop_line.column, loop_line.line, loop_line.column + 3),
        "this loop is not unrolled",
    )
    return (*found.values(), header, *call_notes(entry.loop.frame))
