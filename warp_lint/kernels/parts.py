"""Components of objects that a rolled loop changes: which of them it leaves as they were."""

from __future__ import annotations

from collections.abc import Callable

from warp_lint.kernels.graph import Key, Loop, Value
from warp_lint.kernels.objects import Relation, constructed, relation

_CONSTRUCTORS = frozenset(("vector", "matrix", "quaternion", "transformation"))
_DEPTH = 40


def head_of(value: Value) -> Value | None:
    """The carried value of the loop that an `after` node stands behind."""
    if not isinstance(value.extra, Loop):
        return None
    return value if value.op == "carry" else value.extra.carried.get(value.name)


def kept(value: Value, head: Value, key: Key, depth: int = 0) -> bool:
    """Does component `key` of a value come unchanged from the start of the pass?"""
    if value is head:
        return True
    if depth > _DEPTH:
        return False
    if value.op == "mutate":
        return relation(value.key, key) is Relation.NONE and kept(value.args[0], head, key, depth + 1)
    if value.op in ("copy", "ret", "arg") and len(value.args) == 1:
        return kept(value.args[0], head, key, depth + 1)
    if value.op in ("phi", "join"):
        return all(kept(arm, head, key, depth + 1) for arm in (value.args[1:] if value.op == "phi" else value.args))
    if value.op in ("after", "carry"):
        inner = head_of(value)
        if inner is None or len(inner.args) < 2:
            return value.op == "carry" and kept(value.args[0], head, key, depth + 1)
        return kept(inner.args[1], inner, key, depth + 1) and kept(inner.args[0], head, key, depth + 1)
    part = _part(value, key)
    return part is not None and part.op == "index" and part.key == key and kept(part.args[0], head, key, depth + 1)


def _part(value: Value, key: Key) -> Value | None:
    """The argument of a constructor that makes up a component."""
    if value.op != "struct" and not (value.op == "call" and value.name in _CONSTRUCTORS and len(value.args) > 1):
        return None
    parts = constructed(value, key)
    if parts is None or len(parts) != 1:
        return None
    part = parts[0]
    while part.op in ("copy", "arg") and part.args:
        part = part.args[0]
    return part


def taint_of(taint: list[int], late: Callable[[Value], int], owner: Value, key: Key, depth: int = 0) -> int:
    """Taint of one component. `late`: what a call adds to an argument."""
    op = owner.op
    if depth > _DEPTH or not owner.type.is_object:
        return taint[owner.id]
    if op == "mutate":
        how = relation(owner.key, key)
        result = 0
        for index in owner.args[2:]:
            result |= taint[index.id]
        if how is not Relation.NONE:
            result |= taint[owner.args[1].id]
        if how is not Relation.COVERS or owner.name == "add":
            result |= taint_of(taint, late, owner.args[0], key, depth + 1)
        return result
    if op in ("after", "carry"):
        head = head_of(owner)
        if head is not None and len(head.args) > 1 and kept(head.args[1], head, key):
            return taint_of(taint, late, head.args[0], key, depth + 1)
        return taint[owner.id]
    if op == "copy" or (op == "arg" and not late(owner)):
        return taint_of(taint, late, owner.args[0], key, depth + 1)
    if op == "index" and owner.key and len(owner.args) == 1:
        return taint_of(taint, late, owner.args[0], (*owner.key, *key), depth + 1)
    if op == "phi":
        left, right = (taint_of(taint, late, arm, key, depth + 1) for arm in owner.args[1:])
        return taint[owner.args[0].id] | left | right
    if op == "join":
        result = 0
        for arm in owner.args:
            result |= taint_of(taint, late, arm, key, depth + 1)
        return result
    parts = constructed(owner, key) if op == "struct" or (op == "call" and owner.name in _CONSTRUCTORS) else None
    if parts is None or (op == "call" and not parts):
        return taint[owner.id]
    result = 0
    for part in parts:
        result |= taint_of(taint, late, part, key[1:], depth + 1) if len(key) > 1 else taint[part.id]
    return result
