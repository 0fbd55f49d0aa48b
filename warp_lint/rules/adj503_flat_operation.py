"""ADJ503: operations that stop the gradient: rounding (rightly zero), and those without a due adjoint."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from warp_lint.findings import Severity
from warp_lint.kernels.builtins import Gradient
from warp_lint.kernels.effects import Access
from warp_lint.kernels.graph import Value
from warp_lint.kernels.inspection import Inspection, Report, call_notes, code_text

CODE = "ADJ503"
_STOPS = (Gradient.LOST, Gradient.LEAKED)


def check(inspection: Inspection) -> Iterator[Report]:
    through = 0
    for event in inspection.writes():
        if event.access is not Access.READ and inspection.adjoint.useful(event.value):
            through |= inspection.active(event.value.args[0])
    in_place = {value.args[1].id: value for value in inspection.graph.values if value.op == "mutate"}
    for value in inspection.graph.values:
        if value.op != "call" or value.entry is None or value.frame.id in inspection.adjoint.custom:
            continue
        useful = inspection.adjoint.useful(value)
        if value.id in in_place:
            useful |= inspection.adjoint.useful(in_place[value.id])
        if not useful:
            continue
        lost, flat = _stopped(inspection, value)
        if lost:
            name = f"wp.{value.name}" if isinstance(value.node, ast.Call) else code_text(value)
            report = _report(
                value, f"`{name}` has no adjoint for {_operands(inspection, value)}: the gradient is lost", lost
            )
            if value.name.startswith("tile_"):
                report.help = (
                    "use tile operations that Warp differentiates, such as `wp.tile_sum`, or elements of arrays"
                )
            yield report
        elif flat and not flat & through:
            message = f"`{code_text(value)}` is piecewise constant and on the only gradient path: the gradient is zero"
            report = _report(value, message, flat)
            report.severity = Severity.INFO
            report.help = "write a straight-through estimator with `wp.func_grad` if that isn't meant"
            yield report
    yield from _tuples(inspection)


def _tuples(inspection: Inspection) -> Iterator[Report]:
    """A tuple that is given a name is an object, and Warp has no adjoint for it."""
    found: dict[int, Report] = {}
    for value in inspection.graph.values:
        if value.op != "severed" or value.name != "tuple" or not inspection.adjoint.useful(value):
            continue
        lost = inspection.active(value.args[0])
        known = found.get(id(value.node))
        if known is not None:
            known.paths |= lost
        elif lost:
            message = f"`{_target(value)}` keeps a tuple, and no gradient goes through a tuple"
            found[id(value.node)] = _report(value, message, lost)
            found[id(value.node)].help = "unpack it where it is made (`a, b = …`), or use a struct or a vector"
    yield from found.values()


def _target(value: Value) -> str:
    node = value.node
    return value.frame.module.segment(node.targets[0] if isinstance(node, ast.Assign) else node)


def _operands(inspection: Inspection, value: Value) -> str:
    """The operands that get no gradient, as written."""
    found = []
    node = value.node
    arguments = (
        node.args if isinstance(node, ast.Call) else [node.left, node.right] if isinstance(node, ast.BinOp) else []
    )
    for argument, position, written in zip(value.args, value.bound, arguments, strict=False):
        operands = value.entry.operands if value.entry is not None else ()
        if position is None or position >= len(operands):
            continue
        if operands[position].gradient in _STOPS and inspection.active(argument):
            text = value.frame.module.segment(written)
            found.append(f"`{text}`" if 0 < len(text) <= 30 else "an operand")
    return " and ".join(dict.fromkeys(found)) or "its operand"


def _stopped(inspection: Inspection, value: Value) -> tuple[int, int]:
    entry = value.entry
    assert entry is not None
    lost = flat = 0
    for argument, position in zip(value.args, value.bound, strict=False):
        if position is None or position >= len(entry.operands):
            continue
        gradient = entry.operands[position].gradient
        if gradient in _STOPS:
            lost |= inspection.active(argument)
        elif gradient is Gradient.FLAT:
            flat |= inspection.active(argument)
    return lost, flat


def _report(value: Value, message: str, paths: int) -> Report:
    help = "write the func in terms of operations that Warp differentiates, or give it a `func_grad`"
    severity = Severity.ERROR if paths else None
    return Report(CODE, value.location, message, help, call_notes(value.frame), paths, severity)
