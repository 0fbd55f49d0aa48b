"""Elements of containers at places that aren't known: `states[k]`, `states[(k + 1) % 2]`.

Which element it is isn't known, but the same place is the same element each time, and places that differ by a known
number are different ones. What all elements have in common is known of it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from warp_lint.host import arrays
from warp_lint.host.machine import Machine
from warp_lint.host.values import ArrayValue, Instance, Unknown, hashable

MAX_DEPTH = 3
MAX_MEMBERS = 64


def residue(value: Unknown, modulus: int) -> Unknown:
    """`value % modulus`; the same object for numbers that differ by a multiple of the modulus."""
    base, offset = value.base, value.offset
    inner = base.memo.get(("residue",))
    if inner is not None and inner[2] % modulus == 0:
        base, offset = inner[0], inner[1] + offset
    offset %= modulus
    left = base.shift(offset)
    result: Unknown = left.derived("%", modulus, f"{left.text} % {modulus}")
    result.memo.setdefault(("residue",), (base, offset, modulus))
    result.lower = 0
    return result


def minus(left: int, right: Unknown) -> Unknown:
    """`left - right`; taken away twice, it is the number again."""
    base, rest = right.base, left - right.offset
    inner = base.memo.get(("minus",))
    if inner is not None:
        other: Unknown = inner[0]
        return other.shift(rest - inner[1])
    result: Unknown = base.derived("r-", rest, f"{rest} - {base.text}")
    result.memo.setdefault(("minus",), (base, rest))
    return result


def place(key: Unknown, length: int) -> tuple[Unknown, int]:
    """An unknown index into `length` elements as an unknown number plus a distance below the length."""
    base, offset = key.base, key.offset
    while True:
        inner = base.memo.get(("residue",))
        if inner is not None and inner[2] == length:
            base, offset = inner[0], inner[1] + offset
            continue
        inner = base.memo.get(("minus",))
        if inner is not None and length == 2:  # -x and x are the same modulo 2
            base, offset = inner[0], inner[1] + offset
            base, offset = base.base, base.offset + offset
            continue
        return base, offset % length


def element_at(m: Machine, container: Any, values: Sequence[Any], key: Unknown) -> Any:
    """The element of a list, tuple or dictionary at an unknown place."""
    if isinstance(container, dict) or not values:
        base, offset = key.base, key.offset
    else:
        base, offset = place(key, len(values))
    memo_key = ("of", hashable(container), offset)
    found = base.memo.get(memo_key)
    if found is None:
        found = base.memo[memo_key] = _common(m, values, f"…[{key.text}]", 0)
    return found


def set_element(m: Machine, container: list[Any], key: Unknown, value: Any) -> None:
    base, offset = place(key, len(container)) if container else (key, 0)
    m.put(base.memo, ("of", hashable(container), offset), value)


def _common(m: Machine, values: Sequence[Any], text: str, depth: int) -> Any:
    """A value of which only that is known which all of the values share."""
    first = values[0] if values else None
    if depth >= MAX_DEPTH or first is None:
        return Unknown(text)
    if all(type(v) is ArrayValue for v in values):
        return _array(m, values, text)
    if isinstance(first, Instance) and first.native is None:
        if all(isinstance(v, Instance) and v.cls is first.cls for v in values):
            return _instance(m, values, text, depth)
    elif isinstance(first, tuple):
        if all(isinstance(v, tuple) and len(v) == len(first) for v in values):
            parts = zip(*values, strict=True)
            return tuple([_common(m, part, f"{text}[{i}]", depth + 1) for i, part in enumerate(parts)])
    elif isinstance(first, (bool, int, float, str)) and all(type(v) is type(first) and v == first for v in values):
        return first
    return Unknown(text)


def _array(m: Machine, values: Sequence[ArrayValue], text: str) -> ArrayValue:
    first = values[0]
    carries = first.grad_now if all(v.grad_now is first.grad_now for v in values) else None
    return arrays.allocate(
        m,
        name=text,
        dtype=first.dtype_value if all(v.dtype == first.dtype for v in values) else None,
        shape=first.shape if all(v.shape == first.shape for v in values) else None,
        requires_grad=carries,
        quiet=True,
    )


def _instance(m: Machine, values: Sequence[Instance], text: str, depth: int) -> Instance:
    made = m.instance(values[0].cls, text)
    for name in list(values[0].attributes)[:MAX_MEMBERS]:
        members = [v.attributes[name] for v in values if name in v.attributes]
        made.attributes[name] = _common(m, members, f"{text}.{name}", depth + 1)
    return made
