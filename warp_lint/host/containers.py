"""Lists, tuples, dicts, sets and strings: items, iteration, methods."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from warp_lint.host import arrays, calls, externals, natives, objects, operators
from warp_lint.host.machine import LeaveGeneratorError, Machine, RaisedError
from warp_lint.host.values import (
    MISSING,
    ArrayValue,
    ClassValue,
    Cursor,
    DequeValue,
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
        # Which element isn't known: the same unknown for the same index, a plain value if all agree.
        if value and all(isinstance(v, (int, float, str, bool)) for v in value):
            return key.child(("of", hashable(tuple(value))), f"…[{key.text}]")
        return key.child(("of", hashable(value)), f"…[{key.text}]")
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
        return key.child(("of", hashable(value)), f"…[{key.text}]")
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
            m.put(key.memo, ("of", hashable(owner)), value)
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


def concatenate(left: Any, right: Any) -> Any:
    """`list + list`."""
    if isinstance(left, list) and isinstance(right, list):
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


# Methods


def has_method(receiver: Any, name: str) -> bool:
    return name in (_DICT if isinstance(receiver, dict) else _LIST)


def call_method(m: Machine, receiver: Any, name: str, args: list[Any], kwargs: dict[str, Any]) -> Any:
    table: dict[str, Callable[..., Any]] | None = None
    if isinstance(receiver, list):
        table = _LIST
    elif isinstance(receiver, dict):
        table = _DICT
    elif isinstance(receiver, SetValue):
        table = _SET
    elif isinstance(receiver, LazyList):
        table = _LAZY
    elif isinstance(receiver, tuple):
        table = _TUPLE
    elif isinstance(receiver, GeneratorValue):
        return Unknown("generator")
    elif isinstance(receiver, str):
        return _string(m, receiver, name, args, kwargs)
    if table is not None and name in table:
        return table[name](m, receiver, *args, **{k: v for k, v in kwargs.items() if k.isidentifier()})
    if isinstance(receiver, (int, float)) and name in ("item", "is_integer", "bit_length"):
        return receiver if name == "item" else getattr(receiver, name)()
    return Unknown(f"{name}()", merge_sources(receiver, *args))


def _append(m: Machine, receiver: list[Any], value: Any = None) -> None:
    m.append(receiver, value)
    if isinstance(receiver, DequeValue) and receiver.maxlen is not None and len(receiver) > receiver.maxlen:
        m.keep_list(receiver)
        del receiver[0]


def _append_left(m: Machine, receiver: list[Any], value: Any = None) -> None:
    m.keep_list(receiver)
    receiver.insert(0, value)
    if isinstance(receiver, DequeValue) and receiver.maxlen is not None:
        del receiver[receiver.maxlen :]


def _pop_left(m: Machine, receiver: list[Any]) -> Any:
    return _list_pop(m, receiver, 0)


def _extend_left(m: Machine, receiver: list[Any], values: Any = None) -> None:
    for element in known_elements(m, values) or []:
        _append_left(m, receiver, element)


def _rotate(m: Machine, receiver: list[Any], by: Any = 1) -> None:
    if isinstance(by, int) and receiver:
        m.keep_list(receiver)
        by %= len(receiver)
        receiver[:] = receiver[-by:] + receiver[:-by]


def _list_init(m: Machine, receiver: list[Any], values: Any = (), maxlen: Any = None) -> None:
    if isinstance(receiver, DequeValue) and isinstance(maxlen, int):
        receiver.maxlen = maxlen
    for element in known_elements(m, values) or []:
        _append(m, receiver, element)


def _extend(m: Machine, receiver: list[Any], values: Any = None) -> None:
    elements = known_elements(m, values)
    if elements is None:
        elements = [get_item(m, values, 0), get_item(m, values, 1)] if isinstance(values, (Unknown, LazyList)) else []
    m.keep_list(receiver)
    receiver.extend(elements)


def _insert(m: Machine, receiver: list[Any], index: Any = 0, value: Any = None) -> None:
    m.keep_list(receiver)
    receiver.insert(index if isinstance(index, int) else len(receiver), value)


def _list_pop(m: Machine, receiver: list[Any], index: Any = -1) -> Any:
    if not receiver or not isinstance(index, int) or not -len(receiver) <= index < len(receiver):
        return Unknown("element")
    m.keep_list(receiver)
    return receiver.pop(index)


def _remove(m: Machine, receiver: list[Any], value: Any = None) -> None:
    for i, element in enumerate(receiver):
        if element is value or (isinstance(value, (str, int)) and element == value):
            m.keep_list(receiver)
            del receiver[i]
            return


def _list_clear(m: Machine, receiver: list[Any]) -> None:
    m.keep_list(receiver)
    receiver.clear()


def _reverse(m: Machine, receiver: list[Any]) -> None:
    m.keep_list(receiver)
    receiver.reverse()


def _sort(m: Machine, receiver: list[Any], **options: Any) -> None:
    if all(isinstance(v, (int, float)) for v in receiver) and "key" not in options:
        m.keep_list(receiver)
        receiver.sort()


def _index(m: Machine, receiver: Any, value: Any = None, *rest: Any) -> Any:
    for i, element in enumerate(receiver):
        if element is value or (isinstance(value, (str, int, float)) and element == value):
            return i
    return Unknown("index")


def _count(m: Machine, receiver: Any, value: Any = None) -> Any:
    if all(isinstance(v, (str, int, float)) for v in receiver) and isinstance(value, (str, int, float)):
        return list(receiver).count(value)
    return Unknown("count")


_LIST: dict[str, Callable[..., Any]] = {
    "__init__": _list_init,
    "__getitem__": lambda m, receiver, key: get_item(m, receiver, key),
    "__setitem__": lambda m, receiver, key, value: set_item(m, receiver, key, value),
    "__len__": lambda m, receiver: len(receiver),
    "__iter__": lambda m, receiver: receiver,
    "popleft": _pop_left,
    "appendleft": _append_left,
    "extendleft": _extend_left,
    "rotate": _rotate,
    "append": _append,
    "extend": _extend,
    "insert": _insert,
    "pop": _list_pop,
    "remove": _remove,
    "clear": _list_clear,
    "reverse": _reverse,
    "sort": _sort,
    "index": _index,
    "count": _count,
    "copy": lambda m, receiver: list(receiver),
}
_TUPLE: dict[str, Callable[..., Any]] = {"index": _index, "count": _count}


def _dict_get(m: Machine, receiver: dict[Any, Any], key: Any = None, default: Any = None) -> Any:
    found = receiver.get(dict_key(key), MISSING)
    if found is not MISSING:
        return found
    rest = receiver.get("**")
    return rest.item(key) if isinstance(rest, Unknown) else default


def _setdefault(m: Machine, receiver: dict[Any, Any], key: Any = None, default: Any = None) -> Any:
    found = receiver.get(dict_key(key), MISSING)
    if found is MISSING:
        m.put(receiver, dict_key(key), default)
        return default
    return found


def _dict_pop(m: Machine, receiver: dict[Any, Any], key: Any = None, default: Any = MISSING) -> Any:
    found = receiver.get(dict_key(key), MISSING)
    if found is MISSING:
        return Unknown("element") if default is MISSING else default
    m.remove(receiver, dict_key(key))
    return found


def _update(m: Machine, receiver: dict[Any, Any], other: Any = None, **named: Any) -> None:
    m.keep_dict(receiver)
    if isinstance(other, dict):
        receiver.update(other)
    elif isinstance(other, (list, tuple)):
        for pair in other:
            if isinstance(pair, tuple) and len(pair) == 2:
                receiver[dict_key(pair[0])] = pair[1]
    receiver.update(named)


def _dict_clear(m: Machine, receiver: dict[Any, Any]) -> None:
    m.keep_dict(receiver)
    receiver.clear()


_DICT: dict[str, Callable[..., Any]] = {
    "__init__": lambda m, receiver, *args, **named: _update(m, receiver, *args, **named),
    "__getitem__": lambda m, receiver, key: get_item(m, receiver, key),
    "__setitem__": lambda m, receiver, key, value: set_item(m, receiver, key, value),
    "__contains__": lambda m, receiver, key: contains(m, receiver, key),
    "__len__": lambda m, receiver: len(receiver),
    "__iter__": lambda m, receiver: list(receiver),
    "popitem": lambda m, receiver: _list_pop(m, list(receiver.items())),
    "get": _dict_get,
    "items": lambda m, receiver: [(k, v) for k, v in receiver.items() if k != "**"],
    "keys": lambda m, receiver: [k for k in receiver if k != "**"],
    "values": lambda m, receiver: [v for k, v in receiver.items() if k != "**"],
    "setdefault": _setdefault,
    "pop": _dict_pop,
    "update": _update,
    "clear": _dict_clear,
    "copy": lambda m, receiver: dict(receiver),
}


def _set_add(m: Machine, receiver: SetValue, value: Any = None) -> None:
    m.put(receiver.items, hashable(value), value)


def _set_discard(m: Machine, receiver: SetValue, value: Any = None) -> None:
    m.remove(receiver.items, hashable(value))


def _set_update(m: Machine, receiver: SetValue, *others: Any) -> None:
    for other in others:
        for element in known_elements(m, other) or []:
            m.put(receiver.items, hashable(element), element)


_SET: dict[str, Callable[..., Any]] = {
    "add": _set_add,
    "discard": _set_discard,
    "remove": _set_discard,
    "update": _set_update,
    "copy": lambda m, receiver: SetValue(dict(receiver.items)),
}


def _lazy_append(m: Machine, receiver: LazyList, value: Any = None) -> None:
    m.put(receiver.cells, receiver.length, value)
    m.set(receiver, "length", receiver.length + 1 if isinstance(receiver.length, int) else receiver.length.shift(1))


_LAZY: dict[str, Callable[..., Any]] = {
    "append": _lazy_append,
    "copy": lambda m, receiver: receiver,
}


def _string(m: Machine, receiver: str, name: str, args: list[Any], kwargs: dict[str, Any]) -> Any:
    if name == "join":
        elements = known_elements(m, args[0]) if args else None
        if elements is not None and all(isinstance(e, str) for e in elements):
            return receiver.join(elements)
        return Unknown("string")
    simple = (str, int, float, bool, tuple, type(None))
    if all(isinstance(a, simple) for a in args) and all(isinstance(v, simple) for v in kwargs.values()):
        method = getattr(receiver, name, None)
        if (
            method is not None
            and len(receiver) < 10_000
            and name not in ("ljust", "rjust", "center", "zfill", "expandtabs")
        ):
            try:
                result = method(*args, **kwargs)
            except Exception:
                return Unknown("string")
            if isinstance(result, (str, bool, int, list, tuple, bytes)):
                return result
    return Unknown("string")


_ = objects
