"""Fields of a kernel's own struct argument, assigned.

The adjoint of a struct argument starts as a copy of it (its arrays hold gradients, but its numbers hold their
values), so what is assigned to a field gets that field's value as gradient on top.
"""

from __future__ import annotations

from collections.abc import Iterator

from warp_lint.kernels.detect import kernel_kind
from warp_lint.kernels.effects import Path
from warp_lint.kernels.graph import Value, implied
from warp_lint.kernels.inspection import Inspection
from warp_lint.kernels.objects import Relation, behind_versions, relation


def argument_behind(inspection: Inspection, value: Value) -> Value | None:
    """The kernel's struct argument (or its field) that a component write changes, if any."""
    if value.op != "mutate" or kernel_kind(inspection.project, inspection.definition) != "kernel":
        return None
    found = behind_versions(value.args[0], "param", ("mutate", "after", "arg"))
    return found if found is not None and (found.type.kind == "struct" or len(found.path) > 1) else None


def assigned(inspection: Inspection) -> Iterator[tuple[Value, int]]:
    """Assignments to fields, with the inputs that get the field's first value as gradient."""
    if inspection.before("1.16"):
        return  # what is assigned gets no gradient at all
    for value in inspection.graph.values:
        if value.op != "mutate" or value.args[0].type.kind != "struct" or not inspection.is_field(value):
            continue
        paths = inspection.active(value.args[1])
        if not paths or _replaced(value):
            continue
        argument = argument_behind(inspection, value)
        if argument is not None and _path(argument, value) not in inspection.zeros:
            yield value, paths


def _path(argument: Value, value: Value) -> Path:
    """Path of the field from the kernel's argument on."""
    if argument.type.kind != "struct":
        return argument.path
    key = tuple(str(part) for part in value.key or ())
    return (*argument.path, *key)


def _replaced(value: Value) -> bool:
    """Does a later assignment of the same field take the adjoint first?"""
    if value.cell is None:
        return False
    return any(
        later.value.id > value.id
        and later.mode == "set"
        and relation(later.key, value.key) is Relation.COVERS
        and implied(later.value.guards, value.guards)
        and later.value.loops == value.loops[: len(later.value.loops)]
        for later in value.cell.mutations
    )
