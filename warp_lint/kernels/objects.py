"""Components of local objects: how keys overlap, and which values a component may hold."""

from __future__ import annotations

import enum

from warp_lint.kernels.conditions import exclusive
from warp_lint.kernels.graph import Guard, Key, Value
from warp_lint.kernels.linear import Linear, combine
from warp_lint.kernels.types import Type

AXES = {"x": 0, "y": 1, "z": 2, "w": 3}
_PARTS = {"p": range(3), "q": range(3, 7)}


class Relation(enum.IntEnum):
    """Does a written key touch a read one? COVERS: surely all of it."""

    NONE = 0
    MAYBE = 1
    COVERS = 2


def _element(left: object, right: object) -> Relation:
    if left is None or right is None:
        return Relation.MAYBE
    if isinstance(left, Linear) and isinstance(right, Linear):
        difference = combine(left, right, -1)
        if difference.terms:
            return Relation.MAYBE
        return Relation.COVERS if difference.constant == 0 else Relation.NONE
    if isinstance(left, Linear) or isinstance(right, Linear):
        return Relation.MAYBE
    if isinstance(left, str) and isinstance(right, int):
        return Relation.COVERS if right in _PARTS.get(left, ()) else Relation.NONE
    if isinstance(left, int) and isinstance(right, str):
        return Relation.MAYBE if left in _PARTS.get(right, ()) else Relation.NONE
    return Relation.COVERS if left == right else Relation.NONE


def relation(written: Key | None, read: Key | None) -> Relation:
    """How a write to component `written` concerns a read of `read`; `()` is the whole object."""
    if written is None or read is None:
        return Relation.MAYBE
    result = Relation.COVERS
    for left, right in zip(written, read, strict=False):
        result = min(result, _element(left, right))
        if result is Relation.NONE:
            return result
    if len(written) > len(read):
        result = min(result, Relation.MAYBE)
    return result


def surely(written: Key | None, read: Key | None) -> bool:
    """Do two component keys certainly overlap (one may be a part of the other)?"""
    if written is None or read is None:
        return False
    return all(_element(left, right) is Relation.COVERS for left, right in zip(written, read, strict=False))


def behind_versions(value: Value, op: str, through: tuple[str, ...]) -> Value | None:
    """The first node of kind `op` behind the versions of an object, one of several where they merge. `through`: kinds
    whose first operand is an earlier version."""
    pending, seen = [value], set[int]()
    while pending:
        node = pending.pop()
        if node.id in seen:
            continue
        seen.add(node.id)
        if node.op == op:
            return node
        if node.op in through:
            pending.extend(node.args[:1])
        elif node.op in ("phi", "join", "carry"):
            pending.extend(node.args[1:] if node.op == "phi" else node.args)
    return None


def contents(
    value: Value,
    key: Key,
    limit: int = 200,
    sure: bool = False,
    past: bool = False,
    guards: tuple[Guard, ...] = (),
) -> list[Value]:
    """Values that component `key` of an object may hold (or is a sum of); an object stands for its component.

    `sure`: leave out writes that only may have touched the component. `past`: also values replaced before.
    `guards`: leave out what is written where these don't hold.
    """
    found: dict[int, Value] = {}
    seen: set[int] = set()
    pending = [value]
    while pending and len(seen) < limit:
        node = pending.pop()
        if node.id in seen:
            continue
        seen.add(node.id)
        if node.op == "mutate":
            how = relation(node.key, key)
            if guards and how is not Relation.NONE and exclusive(node.guards, guards, node.loops):
                pending.append(node.args[0])
                continue
            if how is not Relation.NONE and (not sure or surely(node.key, key)):
                held = node.args[1]
                found[held.id] = held
            if past or how is not Relation.COVERS or node.name == "add":
                pending.append(node.args[0])
        elif node.op == "phi":
            pending.extend(node.args[1:])
        elif node.op in ("copy", "arg", "ret", "carry", "after", "join") and node.args:
            pending.extend(a for a in node.args if a.type.kind != "bool")
        elif node.op == "struct" or (node.op == "call" and node.name in _CONSTRUCTORS):
            part = constructed(node, key)
            if part is None:
                found[node.id] = node
            else:
                for item in part:
                    found[item.id] = item
        elif vanishing(node, key):
            pass
        elif node.op == "call" and node.name in _BY_COMPONENT and limit >= _LEAST and _literal(key):
            found.update({held.id: held for held in _combined(node, key, limit // 4, past, guards)})
        else:
            found[node.id] = node
    return list(found.values())


_BY_COMPONENT = frozenset(("add", "sub", "neg", "diag", "skew", "transpose"))
_LEAST = 12  # sums of sums are followed to a depth of three: in a loop they have no end
_SKEW = {(0, 1): 2, (1, 0): 2, (0, 2): 1, (2, 0): 1, (1, 2): 0, (2, 1): 0}


def _literal(key: Key) -> bool:
    return bool(key) and all(isinstance(part, int) for part in key)


def _combined(node: Value, key: Key, limit: int, past: bool, guards: tuple[Guard, ...]) -> list[Value]:
    """What makes up a component of a sum, or of a matrix that only arranges what it is given."""
    if node.name in ("add", "sub", "neg"):
        inner = key if node.type.is_object else ()
    elif len(key) != 2:
        return [node]
    elif node.name == "transpose":
        inner = key[::-1]
    elif node.name == "diag":
        inner = (key[0],)
    else:
        inner = (_SKEW[key],) if key in _SKEW else ()
    if not inner:
        return [node]
    return [held for argument in node.args for held in contents(argument, inner, limit, past=past, guards=guards)]


def vanishing(node: Value, key: Key, depth: int = 0) -> bool:
    """Is an element of a matrix zero by the way it is made: beside a diagonal, or on that of a skew matrix?"""
    if len(key) != 2 or not all(isinstance(part, int) for part in key) or depth > 8 or not node.args:
        return node.op == "call" and node.name == "identity"
    if node.op in ("copy", "arg", "ret"):
        return len(node.args) == 1 and vanishing(node.args[0], key, depth + 1)
    if node.op != "call":
        return False
    if node.name == "identity":
        return True  # a constant
    if node.name == "diag":
        return bool(key[0] != key[1])
    if node.name == "skew":
        return bool(key[0] == key[1])
    if node.name == "transpose":
        return vanishing(node.args[0], key[::-1], depth + 1)
    if node.name in ("mul", "div", "neg"):
        matrices = [a for a in node.args if a.type.kind in ("mat", "unknown")]
        return len(matrices) == 1 and _zero(matrices[0], key, depth)
    return node.name in ("add", "sub") and all(_zero(a, key, depth) for a in node.args)


def _zero(node: Value, key: Key, depth: int) -> bool:
    """The same without constants: the identity is one on its diagonal."""
    while node.op in ("copy", "arg") and node.args:
        node = node.args[0]
    if node.op == "call" and node.name == "identity":
        return len(key) == 2 and key[0] != key[1]
    return vanishing(node, key, depth + 1)


_CONSTRUCTORS = frozenset(("vector", "matrix", "quaternion", "spatial_vector", "transformation"))


def constructed(node: Value, key: Key) -> list[Value] | None:
    """Arguments of a constructor that make up a component; None: not told apart."""
    if not key:
        return None
    if node.op == "struct":
        fields: dict[str, int] = node.extra
        if key[0] in fields:
            return [node.args[fields[key[0]]]]
        return []
    if not node.args:
        return []
    head = key[0]
    if len(node.args) == 1 and not node.args[0].type.is_object:
        return [node.args[0]]
    if any(a.type.is_object for a in node.args):
        if node.name == "transformation" and head in ("p", "q") and len(node.args) == 2:
            return [node.args[0 if head == "p" else 1]]
        return None
    if node.name == "matrix":
        shape = node.type.shape
        if len(key) == 2 and len(shape) == 2 and isinstance(key[0], int) and isinstance(key[1], int):
            place = key[0] * shape[1] + key[1]
            return [node.args[place]] if 0 <= place < len(node.args) else None
        return None
    if isinstance(head, int) and 0 <= head < len(node.args):
        return [node.args[head]]
    return None


def component_type(type: Type, key: Key) -> Type:
    """Type of a component of a vector-like object (structs are resolved by their layout elsewhere)."""
    if type.kind == "vec" and key:
        return Type(_number(type.scalar), type.scalar)
    if type.kind == "quat" and key:
        return Type("float", type.scalar)
    if type.kind == "transform" and key:
        if key[0] == "p":
            return Type("vec", type.scalar, (3,))
        if key[0] == "q":
            return Type("quat", type.scalar, (4,))
        return Type("float", type.scalar)
    if type.kind == "mat" and key:
        if len(key) == 1:
            return Type("vec", type.scalar, type.shape[1:] or (-1,))
        return Type(_number(type.scalar), type.scalar)
    if type.kind == "tile" and type.element is not None:
        return type.element
    return Type("unknown")


def _number(scalar: str) -> str:
    return "int" if scalar.startswith(("int", "uint", "bool")) else "float"
