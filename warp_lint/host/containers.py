"""Lists, tuples, dicts, sets and strings: items, iteration, methods."""

from __future__ import annotations

import re
from typing import Any

from warp_lint.host import arrays, calls, externals, natives, operators
from warp_lint.host.elements import element_at, set_element
from warp_lint.host.machine import LeaveGeneratorError, Machine, RaisedError
from warp_lint.host.values import (
    MISSING,
    ArrayValue,
    ClassValue,
    Cursor,
    FunctionValue,
    GeneratorValue,
    HostArray,
    Instance,
    LazyList,
    Native,
    Sequence,
    SetValue,
    Spread,
    Unknown,
    hashable,
    merge_sources,
)
from warp_lint.syntax.project import External

MAX_ELEMENTS = 512
MAX_SIZE = 100_000  # of lists and texts that programs double and double again
_WIDE = re.compile(r"\d{4}|\*")


def dict_key(key: Any) -> Any:
    """A value as the key of an interpreted dict (a plain Python dict)."""
    try:
        hash(key)
    except TypeError:
        return hashable(key)
    return key


# Iteration


def sequence(m: Machine, value: Any) -> Sequence:
    """What a `for` over the value goes through."""
    if isinstance(value, (list, tuple, str, range, bytes)):
        if isinstance(value, (list, tuple)) and value and any(type(v) is Spread for v in value):
            value = [v for v in value if type(v) is not Spread]
        return Sequence(
            len(value),
            lambda i: value[i] if isinstance(i, int) and -len(value) <= i < len(value) else Unknown("element"),
        )
    if isinstance(value, LazyList):
        return Sequence(value.length, value.get)
    if isinstance(value, Sequence):
        return value
    if isinstance(value, dict):
        keys = [k for k in value if k != "**"]
        return Sequence(len(keys), lambda i: keys[i])
    if isinstance(value, SetValue):
        elements = list(value.items.values())
        return Sequence(len(elements), lambda i: elements[i])
    if isinstance(value, Cursor):
        start = value.position
        inner = value.sequence
        left = inner.length - start if isinstance(inner.length, int) else inner.length
        value.position = inner.length if isinstance(inner.length, int) else start
        return Sequence(left, lambda i: inner.get(i + start) if isinstance(i, int) else inner.get(i))
    if isinstance(value, GeneratorValue):
        elements = collect(m, value, MAX_ELEMENTS)
        return Sequence(len(elements), lambda i: elements[i])
    if isinstance(value, ArrayValue):
        length = value.shape[0] if value.shape else None
        return Sequence(length, lambda i: arrays.item(m, value, i))
    if isinstance(value, HostArray):
        length = value.shape[0] if value.shape else None
        return Sequence(length, lambda i: externals.host_item(m, value, i))
    if isinstance(value, Unknown):
        count = value.memo.get(("len",))
        return Sequence(count, value.item) if count is not None else Sequence(None, value.item)
    if isinstance(value, Instance) and value.cls is not None:
        return _instance_sequence(m, value, value.cls)
    if isinstance(value, ClassValue) and value.kind == "enum":
        members = [v for v in value.namespace.values() if isinstance(v, Instance) and v.cls is value]
        return Sequence(len(members), lambda i: members[i])
    if isinstance(value, Native):
        return natives.sequence(m, value)
    return Sequence(None, lambda i: Unknown("element"))


def _instance_sequence(m: Machine, value: Instance, cls: ClassValue) -> Sequence:
    method = cls.lookup("__iter__")
    if isinstance(method, FunctionValue):
        produced = calls.call_function(m, method, [value], {})
        if produced is not value:
            return sequence(m, produced)
        step = cls.lookup("__next__")
        if isinstance(step, FunctionValue):
            return Sequence(None, lambda i: calls.call_function(m, step, [value], {}))
    getter = cls.lookup("__getitem__")
    if isinstance(getter, FunctionValue):
        return Sequence(length(m, value), lambda i: calls.call_function(m, getter, [value, i], {}))
    if cls.kind == "namedtuple":
        from warp_lint.host.definitions import fields_of

        fields = [value.attributes.get(name) for name in fields_of(cls)]
        return Sequence(len(fields), lambda i: fields[i])
    if isinstance(value.native, (dict, list)):
        return sequence(m, value.native)
    unknown = value.unknowns.setdefault("[]", Unknown(value.name))
    return Sequence(None, unknown.item)


def length(m: Machine, value: Any) -> Any:
    if isinstance(value, (list, tuple, str, range, bytes, dict)):
        return len(value)
    if isinstance(value, SetValue):
        return len(value.items)
    if isinstance(value, LazyList):
        return value.length
    if isinstance(value, HostArray):
        if value.shape:
            return value.shape[0]
        return value.child(("len",), f"len({value.text})")
    if isinstance(value, Instance) and value.cls is not None:
        method = value.cls.lookup("__len__")
        if isinstance(method, FunctionValue):
            return calls.call_function(m, method, [value], {})
        if isinstance(value.native, (dict, list)):
            return len(value.native)
        return value.unknowns.setdefault("len()", Unknown(f"len({value.name})"))
    if isinstance(value, ArrayValue):
        return arrays.dimension(m, value, 0)
    if isinstance(value, Unknown):
        if isinstance(value.memo.get(("array",)), ArrayValue):
            return arrays.dimension(m, value.memo[("array",)], 0)
        return value.child(("len",), f"len({value.text})")
    produced = sequence(m, value).length
    return produced if produced is not None else Unknown("len")


def collect(m: Machine, generator: GeneratorValue, limit: int) -> list[Any]:
    """What a generator yields, up to `limit` values."""
    if generator.started is not None:
        return generator.started
    result: list[Any] = []
    token = object()

    def step(value: Any) -> Any:
        result.append(value)
        if len(result) >= limit:
            raise LeaveGeneratorError(token)
        return None

    generator.started = result
    frame = m.frame
    try:
        generator.run(step)
    except LeaveGeneratorError as leave:
        if leave.token is not token:
            raise
    finally:
        m.frame = frame
    return result


def known_elements(m: Machine, value: Any) -> list[Any] | None:
    """All elements, if there are not too many and their number is known."""
    if isinstance(value, (list, tuple)):
        return list(value)
    if isinstance(value, Unknown) and not isinstance(value, HostArray):
        return None
    produced = sequence(m, value)
    if isinstance(produced.length, int) and produced.length <= MAX_ELEMENTS:
        return [produced.get(i) for i in range(produced.length)]
    return None


def first_elements(m: Machine, value: Any, limit: int) -> list[Any]:
    """Elements to go through in a comprehension or `sum`: all if few, else the first ones; two of an unknown number."""
    produced = sequence(m, value)
    if isinstance(produced.length, int):
        return [produced.get(i) for i in range(min(produced.length, limit))]
    return [produced.get(0), produced.get(1)]


def unpack(m: Machine, value: Any, count: int, star: int | None = None) -> list[Any]:
    """Values for `count` targets, of which number `star` takes the rest."""
    if star is None:
        if isinstance(value, (tuple, list)) and len(value) == count:
            return list(value)
        if isinstance(value, Unknown) and not isinstance(value, HostArray):
            return [value.item(i) for i in range(count)]
        produced = sequence(m, value)
        return [produced.get(i) for i in range(count)]
    elements = known_elements(m, value)
    after = count - star - 1
    if elements is None or len(elements) < count - 1:
        return [[] if i == star else get_item(m, value, i if i < star else i - count) for i in range(count)]
    end = len(elements) - after
    return [*elements[:star], elements[star:end], *elements[end:]]


# Items


def get_item(m: Machine, value: Any, key: Any) -> Any:
    if isinstance(value, (list, tuple)):
        return _list_item(m, value, key)
    if isinstance(value, dict):
        found = value.get(dict_key(key), MISSING)
        if found is not MISSING:
            return found
        return _missing_key(m, value, key)
    if isinstance(value, ArrayValue):
        return arrays.item(m, value, key)
    if isinstance(value, LazyList):
        return _lazy_item(value, key)
    if isinstance(value, HostArray):
        return externals.host_item(m, value, key)
    if isinstance(value, Unknown):
        array = value.memo.get(("array",))
        if array is not None and ("item", hashable(key)) not in value.memo:
            return arrays.item(m, array, key)
        return value.item(key)
    if isinstance(value, (str, range, bytes)):
        try:
            return value[key]
        except Exception:
            return Unknown("element")
    if isinstance(value, Native):
        return natives.get_item(m, value, key)
    if isinstance(value, Instance) and value.cls is not None:
        method = value.cls.lookup("__getitem__")
        if isinstance(method, FunctionValue):
            return calls.call_function(m, method, [value, key], {})
        if value.cls.kind == "namedtuple" and isinstance(key, int):
            return unpack(m, value, key + 1)[key] if key >= 0 else Unknown("element")
        if isinstance(value.native, (dict, list)):
            return get_item(m, value.native, key)
        return value.unknowns.setdefault("[]", Unknown(value.name)).item(key)
    if isinstance(value, ClassValue) and value.kind == "enum" and isinstance(key, str):
        return value.lookup(key)
    if isinstance(value, (ClassValue, External)):
        return value  # a generic alias
    if isinstance(value, GeneratorValue):
        return get_item(m, collect(m, value, MAX_ELEMENTS), key)
    return Unknown("element", merge_sources(value))


def _list_item(m: Machine, value: Any, key: Any) -> Any:
    if isinstance(key, int):
        size = len(value)
        if -size <= key < size:
            return value[key]
        if m.try_depth:
            raise RaisedError(m.native("exception", "IndexError"))
        return Unknown("element")
    if isinstance(key, slice):
        try:
            return value[key]
        except TypeError:
            return Unknown("slice", merge_sources(value))
    if isinstance(key, Unknown):
        if value and all(v is value[0] for v in value):
            return value[0]
        if value and all(isinstance(v, (int, float, str, bool)) for v in value):
            return key.child(("of", hashable(tuple(value))), f"…[{key.text}]")
        return element_at(m, value, value, key)
    return Unknown("element")


def _lazy_item(value: LazyList, key: Any) -> Any:
    size = value.length
    if isinstance(key, slice):
        return _lazy_slice(value, key)
    if isinstance(key, int):
        if isinstance(size, int) and not -size <= key < size:
            return Unknown("element")
        return value.get(key)
    if isinstance(key, Unknown):
        return value.get(key)
    return Unknown("element")


def _lazy_slice(value: LazyList, key: slice) -> Any:
    size = value.length
    start = 0 if key.start is None else key.start
    if isinstance(size, int) and all(v is None or isinstance(v, int) for v in (key.start, key.stop, key.step)):
        places = range(*key.indices(size))
        if len(places) <= MAX_ELEMENTS:
            return [value.get(i) for i in places]
        return LazyList(len(places), lambda i: value.get(places[i]) if isinstance(i, int) else value.get(i))
    if key.step is not None or not isinstance(start, int) or start < 0:
        return Unknown("slice")
    stop = size if key.stop is None else key.stop
    if isinstance(stop, int) and stop < 0:
        stop = size.shift(stop) if isinstance(size, Unknown) else size + stop
    if isinstance(stop, int):
        return [value.get(i) for i in range(start, min(stop, start + MAX_ELEMENTS))]
    return LazyList(
        stop.shift(-start), lambda i: value.get(i + start) if isinstance(i, int) else value.get(i.shift(start))
    )


def _missing_key(m: Machine, value: dict[Any, Any], key: Any) -> Any:
    factory = m.default_factories.get(id(value))
    if factory is not None:
        made = calls.call_value(m, None, factory[1], [], {})
        m.put(value, dict_key(key), made)
        return made
    rest = value.get("**")
    if rest is not None and isinstance(rest, Unknown):
        return rest.item(key)
    if isinstance(key, Unknown):
        if len(value) == 1:
            return next(iter(value.values()))
        return element_at(m, value, list(value.values()), key)
    if m.try_depth:
        raise RaisedError(m.native("exception", "KeyError"))
    return Unknown(f"…[{key!r}]" if isinstance(key, (str, int)) else "element")


def peek_item(owner: Any, key: Any) -> Any:
    """What a slot holds now, without making anything."""
    if isinstance(owner, list) and isinstance(key, int) and -len(owner) <= key < len(owner):
        return owner[key]
    if isinstance(owner, dict):
        return owner.get(dict_key(key))
    if isinstance(owner, LazyList) and isinstance(owner.length, int) and isinstance(key, int):
        return owner.cells.get(key + owner.length if key < 0 else key)
    return None


def set_item(m: Machine, owner: Any, key: Any, value: Any) -> None:
    if isinstance(owner, list):
        if isinstance(key, int):
            if -len(owner) <= key < len(owner):
                m.put_item(owner, key, value)
        elif isinstance(key, slice):
            elements = known_elements(m, value)
            if elements is not None:
                m.keep_list(owner)
                try:
                    owner[key] = elements
                except (TypeError, ValueError):
                    return
        elif isinstance(key, Unknown):
            set_element(m, owner, key, value)
    elif isinstance(owner, dict):
        m.put(owner, dict_key(key), value)
    elif isinstance(owner, LazyList):
        if isinstance(key, int) and key < 0:
            key = owner.length + key if isinstance(owner.length, int) else owner.length.shift(key)
        if not isinstance(key, slice):
            m.put(owner.cells, key, value)
    elif isinstance(owner, ArrayValue):
        arrays.set_item(m, owner, key, value)
    elif isinstance(owner, HostArray):
        externals.host_store(m, owner, key, value)
    elif isinstance(owner, Unknown):
        array = owner.memo.get(("array",))
        if array is not None:
            arrays.set_item(m, array, key, value)
        else:
            m.put(owner.memo, ("item", hashable(key)), value)
    elif isinstance(owner, Native):
        natives.set_item(m, owner, key, value)
    elif isinstance(owner, Instance) and owner.cls is not None:
        method = owner.cls.lookup("__setitem__")
        if isinstance(method, FunctionValue):
            calls.call_function(m, method, [owner, key, value], {})
        elif isinstance(owner.native, (dict, list)):
            set_item(m, owner.native, key, value)
        else:
            unknown = owner.unknowns.setdefault("[]", Unknown(owner.name))
            m.put(unknown.memo, ("item", hashable(key)), value)


def delete_item(m: Machine, owner: Any, key: Any) -> None:
    if isinstance(owner, list) and isinstance(key, (int, slice)):
        m.keep_list(owner)
        try:
            del owner[key]
        except (IndexError, TypeError):
            return
    elif isinstance(owner, dict):
        m.remove(owner, dict_key(key))


def contains(m: Machine, owner: Any, value: Any) -> Any:
    """True, False, or None if not known."""
    if isinstance(owner, dict):
        if dict_key(value) in owner:
            return True
        return None if isinstance(value, Unknown) or "**" in owner else False
    if isinstance(owner, SetValue):
        if hashable(value) in owner.items:
            return True
        return None if isinstance(value, Unknown) else False
    if isinstance(owner, str):
        return value in owner if isinstance(value, str) else None
    if isinstance(owner, (list, tuple, range)):
        unsure = isinstance(value, Unknown)
        for element in owner:
            import ast

            same = operators.compare(m, ast.Eq, element, value)
            if same is True:
                return True
            unsure = unsure or same is not False
        return None if unsure else False
    if isinstance(owner, Instance) and owner.cls is not None:
        method = owner.cls.lookup("__contains__")
        if isinstance(method, FunctionValue):
            outcome = calls.call_function(m, method, [owner, value], {})
            return outcome if isinstance(outcome, bool) else None
        if isinstance(owner.native, (dict, list)):
            return contains(m, owner.native, value)
    return None


def grow(values: list[Any], elements: list[Any]) -> None:
    """`values.extend(elements)`, as long as that stays reasonable."""
    if len(values) + len(elements) <= MAX_SIZE:
        values.extend(elements)


def may_be_wide(template: str) -> bool:
    """Could a format string ask for a text of any length?"""
    return _WIDE.search(template) is not None


def concatenate(left: Any, right: Any) -> Any:
    """`list + list`."""
    if isinstance(left, list) and isinstance(right, list) and len(left) + len(right) <= MAX_SIZE:
        return left + right
    a, b = (v.length if isinstance(v, LazyList) else len(v) for v in (left, right))
    if not isinstance(a, int):
        return LazyList(a.shift(b) if isinstance(b, int) else Unknown("len"), lambda i: _get(left, i))

    def get(index: Any) -> Any:
        if isinstance(index, int):
            return _get(left, index) if index < a else _get(right, index - a)
        return _get(right, index.shift(-a)) if isinstance(right, LazyList) else _get(left, index)

    return LazyList(a + b if isinstance(b, int) else b.shift(a), get)


def _get(value: Any, index: Any) -> Any:
    if isinstance(value, LazyList):
        return value.get(index)
    if isinstance(index, int) and index < len(value):
        return value[index]
    return Unknown("element")
