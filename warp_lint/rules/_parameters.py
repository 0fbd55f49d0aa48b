"""Funcs that change their parameter in place.

A func gets its arguments by value, but their adjoints by reference: the reverse pass of `p.a = s` inside a func
takes the adjoint that the caller's `p.a` has collected from what comes after the call, though the caller's `p`
never changed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from warp_lint.kernels.builtins import Gradient
from warp_lint.kernels.graph import Frame, Key, Loop, Value
from warp_lint.kernels.inspection import Inspection
from warp_lint.kernels.objects import Relation, behind_versions, contents, relation


@dataclass(slots=True)
class Taken:
    """`change` (a component write, or the carried value of a rolled loop) takes what `user` gives to the caller's
    variable. `paths`: inputs whose gradient is wrong for it."""

    change: Value
    user: Value
    paths: int


def taken(inspection: Inspection) -> Iterator[Taken]:
    users: dict[int, list[Value]] | None = None
    for value in inspection.graph.values:
        if value.frame.parent is None or value.frame.id in inspection.adjoint.custom:
            continue
        root = _changed(inspection, value)
        if root is None:
            continue
        paths = _gained(inspection, value)
        if not paths:
            continue
        if users is None:
            users = _users(inspection)
        key = value.key if value.op == "mutate" else None
        user = _used_after(inspection, users, root, key, value)
        if user is not None:
            yield Taken(value, user, paths)


def _changed(inspection: Inspection, value: Value) -> Value | None:
    """The parameter that a value changes in place, if any."""
    if value.op == "carry":
        loop = value.extra
        own = isinstance(loop, Loop) and value.cell is None and len(value.args) > 1
        return value.args[0] if own and value.args[0].op == "arg" else None
    if value.op != "mutate" or not value.key or value.extra == "copy":
        return None
    if value.args[0].type.kind == "struct" and not inspection.is_field(value):
        return None  # a component of a struct's vector: its adjoint isn't taken at all
    found = behind_versions(value.args[0], "arg", ("mutate", "after"))
    return found if found is not None and found.frame is value.frame else None


def _gained(inspection: Inspection, value: Value) -> int:
    """Inputs that get a gradient they shouldn't, or lose theirs."""
    active = inspection.active
    if value.op == "carry":
        return _beside(inspection, value.args[1], lambda node: node is value, active(value))
    owner, new = value.args[0], value.args[1]
    if value.name == "add" or owner.type.kind != "struct":
        return active(new)

    def same(node: Value) -> bool:
        return node.op == "index" and node.key == value.key and node.args[0] is owner

    lost = 0
    for part in contents(owner, value.key or ()):
        lost |= active(part)
    return _beside(inspection, new, same, lost)


def _beside(inspection: Inspection, new: Value, same: Callable[[Value], bool], lost: int) -> int:
    """Activity of what is added to the old value; of everything, if the new value isn't the old one plus something."""
    if same(new):
        return 0
    if new.op == "copy":
        return _beside(inspection, new.args[0], same, lost)
    if new.op == "phi":
        arms = [_beside(inspection, arm, same, lost) for arm in new.args[1:]]
        return arms[0] | arms[1]
    if new.op == "call" and new.name in ("add", "sub"):
        left, right = new.args
        if _holds(left, same):
            return _beside(inspection, left, same, lost) | inspection.active(right)
        if new.name == "add" and _holds(right, same):
            return _beside(inspection, right, same, lost) | inspection.active(left)
    return inspection.active(new) | lost


def _holds(value: Value, same: Callable[[Value], bool]) -> bool:
    while value.op in ("copy", "call") and value.name in ("", "add", "sub") and value.args and not same(value):
        value = value.args[0]
    return same(value)


def _users(inspection: Inspection) -> dict[int, list[Value]]:
    table: dict[int, list[Value]] = {}
    for value in inspection.graph.values:
        for argument in value.args:
            table.setdefault(argument.id, []).append(value)
    return table


def _used_after(
    inspection: Inspection, users: dict[int, list[Value]], root: Value, key: Key | None, change: Value
) -> Value | None:
    """A use of the caller's variable behind the call, whose adjoint the change takes."""
    argument: Value | None = root
    while argument is not None and argument.op == "arg":
        frame = argument.frame
        variable = argument.args[0]
        for node in _same_variable(variable):
            for user in users.get(node.id, ()):
                if user.frame.within(frame) or not _behind(user, change, frame):
                    continue
                if _gives(inspection, user, node, key):
                    return user
        argument = variable
    return None


def _same_variable(variable: Value) -> list[Value]:
    nodes = [variable]
    while nodes[-1].op == "carry" and not isinstance(nodes[-1].extra, Loop):
        nodes.append(nodes[-1].args[0])  # the loop doesn't change it
    if variable.op == "param" and len(variable.path) > 1:
        return []  # a field read anew at each use
    return nodes


def _behind(user: Value, change: Value, frame: Frame) -> bool:
    return user.id > change.id or any(loop in frame.caller_loops for loop in user.loops)


def _gives(inspection: Inspection, user: Value, node: Value, key: Key | None) -> bool:
    """Does the adjoint of a use add to this component of the variable?"""
    adjoint = inspection.adjoint
    if key is None or not key:
        if user.op == "call" and user.entry is not None:
            operands = user.entry.operands
            positions = [p for a, p in zip(user.args, user.bound, strict=False) if a is node and p is not None]
            exact = any(p < len(operands) and operands[p].gradient is Gradient.EXACT for p in positions)
            return exact and bool(adjoint.useful(user))
        if user.op == "phi" and user.args[0] is node:
            return False
        return user.op not in ("const", "opaque") and bool(adjoint.useful(user))
    if user.op == "index":
        return relation(key, user.key) is not Relation.NONE and bool(adjoint.useful(user))
    if user.op == "mutate":
        if user.args[0] is node and user.name == "set" and relation(user.key, key) is Relation.COVERS:
            return False
        return bool(adjoint.part_use(user, key if user.args[0] is node else ()))
    if user.op in ("arg", "copy", "phi", "carry", "after", "join", "ret"):
        return bool(adjoint.part_use(user, key))
    return bool(adjoint.useful(user))
