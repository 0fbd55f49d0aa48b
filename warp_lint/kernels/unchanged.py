"""Components that a rewritten element keeps: `p[i] = p[i] + vec3(0, h, 0)` leaves x and z alone."""

from __future__ import annotations

from warp_lint.kernels.graph import Key, Value
from warp_lint.kernels.objects import Relation, constructed, relation

_CONSTRUCTORS = frozenset(("vector", "quaternion", "matrix"))


def keeps(stored: Value, key: Key, load: Value, depth: int = 0) -> bool:
    """Is component `key` of a stored value surely the one of the element as loaded?"""
    if stored is load:
        return True
    if depth > 12 or not key or not all(isinstance(part, int) for part in key):
        return False
    if stored.op in ("copy", "arg", "ret") and len(stored.args) == 1:
        return keeps(stored.args[0], key, load, depth + 1)
    if stored.op == "phi":
        return all(keeps(branch, key, load, depth + 1) for branch in stored.args[1:])
    if stored.op == "mutate":
        return relation(stored.key, key) is Relation.NONE and keeps(stored.args[0], key, load, depth + 1)
    if stored.op != "call":
        return False
    if stored.name in ("add", "sub") and len(stored.args) == 2:
        left, right = stored.args
        if _zero(right, key):
            return keeps(left, key, load, depth + 1)
        return stored.name == "add" and _zero(left, key) and keeps(right, key, load, depth + 1)
    if stored.name in _CONSTRUCTORS:
        parts = constructed(stored, key)
        return parts is not None and len(parts) == 1 and len(stored.args) > 1 and _component(parts[0], key, load)
    return False


def _component(value: Value, key: Key, load: Value) -> bool:
    while value.op in ("copy", "arg") and value.args:
        value = value.args[0]
    return value.op == "index" and value.key == key and keeps(value.args[0], key, load)


def _zero(value: Value, key: Key) -> bool:
    while value.op in ("copy", "arg") and value.args:
        value = value.args[0]
    if value.op != "call" or value.name not in _CONSTRUCTORS:
        return False
    parts = constructed(value, key)
    return parts is not None and len(parts) == 1 and parts[0].const == 0 and not isinstance(parts[0].const, bool)
