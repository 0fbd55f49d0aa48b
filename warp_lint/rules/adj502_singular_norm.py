"""ADJ502: an operation with a finite value and an infinite derivative at a point its operand may reach."""

from __future__ import annotations

from collections.abc import Iterator

from warp_lint.findings import Severity
from warp_lint.kernels.graph import Value
from warp_lint.kernels.inspection import Inspection, Report, call_notes, code_text, through
from warp_lint.kernels.numbers import Hazard, apart, atoms, hazards, may_vanish, protected, same
from warp_lint.rules.adj501_where_nan import selected

CODE = "ADJ502"
_ROOTS = frozenset(("sqrt", "cbrt", "pow"))


def check(inspection: Inspection) -> Iterator[Report]:
    covered = selected(inspection)
    for hazard in hazards(inspection):
        value = hazard.value
        if value.id in covered or protected(hazard.operand, value.guards):
            continue
        reason = _reason(inspection, hazard)
        if reason is None:
            continue
        text = code_text(value, 80)
        yield Report(
            CODE,
            value.location,
            f"the gradient of `{text}` is not finite {reason}",
            _help(hazard),
            call_notes(value.frame),
            inspection.active(value),
            # Hand-written logistic functions are common, and overflow far out.
            Severity.INFO if value.name == "exp" else None,
        )


def _reason(inspection: Inspection, hazard: Hazard) -> str | None:
    value, operand = hazard.value, hazard.operand
    if value.name == "pow" and value.args[0].const == 0:
        return "because its base is zero"
    if value.name == "pow" and through(value.args[1]).const is None:
        return None  # an exponent that isn't known is mostly above one
    if value.name in _ROOTS:
        return "where its operand is zero" if may_vanish(operand, value.guards) else None
    if value.name == "div":
        if _unit_vector(value):
            return "where the vector is zero"
        return "where the divisor is zero, and the condition comes too late" if _late(inspection, hazard) else None
    if hazard.singular.where == "overflow" and _divides(inspection, value):
        return "where it overflows, though the quotient is finite"
    return None


def _unit_vector(value: Value) -> bool:
    """`v / length(v)`, `x / sqrt(x*x + …)`."""
    top, bottom = value.args[0], value.args[1]
    while bottom.op in ("copy", "arg", "ret") and len(bottom.args) == 1:
        bottom = bottom.args[0]
    if bottom.op != "call":
        return False
    if bottom.name in ("length", "norm_l2"):
        return same(bottom.args[0]) == same(top) and not apart(top, value.guards)
    return False


def _late(inspection: Inspection, hazard: Hazard) -> bool:
    """Is the result replaced by a constant under a condition on the operand: `r = 1 / x`, then `if x == 0: r = 0`?"""
    wanted = {hazard.value.id}
    decided = atoms(hazard.operand)
    for user in inspection.graph.values[hazard.value.id + 1 :]:
        if user.op in ("copy", "arg", "ret") and user.args and user.args[0].id in wanted:
            wanted.add(user.id)
            continue
        replaces = user.op == "phi" and any(a.id in wanted for a in user.args[1:])
        fixed = replaces and any(through(a).const is not None for a in user.args[1:])
        if fixed and decided & atoms(user.args[0]):
            return inspection.live(user)
    return False


def _divides(inspection: Inspection, value: Value) -> bool:
    """Is the value (or a sum with it) a denominator?"""
    wanted = {value.id}
    for user in inspection.graph.values[value.id + 1 :]:
        if (user.op in ("copy", "arg", "ret") and user.args[0].id in wanted) or (
            user.op == "call" and user.name in ("add", "sub") and any(a.id in wanted for a in user.args)
        ):
            wanted.add(user.id)
        elif user.op == "call" and user.name == "div" and user.args[1].id in wanted and inspection.live(user):
            return all(a.id not in wanted for a in user.args[:1])
    return False


def _help(hazard: Hazard) -> str:
    if hazard.value.name == "div":
        return "use `wp.normalize`, which Warp guards, or branch with `if` before the division"
    if hazard.singular.where == "overflow":
        return "rewrite it so that the large term is not in the denominator, or clamp the operand"
    return "use `wp.length` for norms, add a small constant to the operand, or branch with `if` before it"
