"""ADJ202: a `func_grad` never writes the adjoint of a differentiable input, or ignores the incoming one."""

from __future__ import annotations

from collections.abc import Iterator

from warp_lint.findings import Note
from warp_lint.kernels.graph import Value
from warp_lint.kernels.inspection import Inspection, Report
from warp_lint.rules._custom import custom_calls

CODE = "ADJ202"


def check(inspection: Inspection) -> Iterator[Report]:
    results: dict[int, int] = {}  # results of a call so far, which each have their own incoming adjoint
    for value, frame, gradient in custom_calls(inspection):
        position = results[frame.id] = results.get(frame.id, -1) + 1
        if not inspection.adjoint.useful(value):
            continue
        where = gradient.definition.location
        call = Note(value.location, f"`{frame.function.name}` is called here")
        missing = [
            name
            for name, actual in frame.arguments.items()
            if name in gradient.parameters and name not in gradient.written and _matters(inspection, value, actual)
        ]
        if missing:
            names = "`, `".join(missing)
            paths = 0
            for name in missing:
                paths |= inspection.active(frame.arguments[name])
            yield Report(
                CODE,
                where,
                f"`{gradient.definition.name}` never writes the adjoint of `{names}`, whose gradient is lost",
                "add its part, or call the func with a value that has no gradient",
                (call,),
                paths,
            )
            continue
        incoming = gradient.incoming[position : position + 1]
        ignores = incoming and gradient.writes and incoming[0] not in gradient.reads
        depends = not position or any(_matters(inspection, value, actual) for actual in frame.arguments.values())
        if ignores and depends and inspection.live(value):
            yield Report(
                CODE,
                where,
                f"`{gradient.definition.name}` ignores the incoming adjoint `{incoming[0]}`",
                "multiply by it",
                (call,),
                inspection.active(value),
            )


def _matters(inspection: Inspection, value: Value, actual: Value) -> bool:
    """Does the result depend differentiably on this argument, and the argument on an input?"""
    frame, _, count = value.extra
    if actual.op == "array":
        element = actual.type.element
        if element is not None and not element.floating:
            return False
        return any(
            event.path == actual.path and event.frame.within(frame) and inspection.active(event.value)
            for event in inspection.reads()
        )
    if not inspection.active(actual):
        return False
    return _flows(inspection, value.args[count:], actual)


def _flows(inspection: Inspection, results: list[Value], actual: Value) -> bool:
    """Is there a differentiable path from the argument to the result inside the forward?"""
    from warp_lint.kernels.builtins import Gradient

    seen: set[int] = set()
    pending = list(results)
    while pending:
        node = pending.pop()
        if node is actual:
            return True
        if node.id in seen or node.op in ("load", "severed"):
            continue
        seen.add(node.id)
        if node.op == "call" and node.entry is not None:
            for argument, position in zip(node.args, node.bound, strict=False):
                known = position is not None and position < len(node.entry.operands)
                if known and node.entry.operands[position or 0].gradient is Gradient.EXACT:
                    pending.append(argument)
        elif node.op == "phi":
            pending.extend(node.args[1:])
        else:
            pending.extend(node.args)
    return False
