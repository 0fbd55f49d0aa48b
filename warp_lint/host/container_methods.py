"""Methods of lists, deques, tuples, dicts, sets and strings."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from warp_lint.host import containers
from warp_lint.host.machine import Machine
from warp_lint.host.values import (
    MISSING,
    DequeValue,
    GeneratorValue,
    LazyList,
    SetValue,
    Unknown,
    hashable,
    merge_sources,
)


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
    for element in containers.known_elements(m, values) or []:
        _append_left(m, receiver, element)


def _rotate(m: Machine, receiver: list[Any], by: Any = 1) -> None:
    if isinstance(by, int) and receiver:
        m.keep_list(receiver)
        by %= len(receiver)
        receiver[:] = receiver[-by:] + receiver[:-by]


def _list_init(m: Machine, receiver: list[Any], values: Any = (), maxlen: Any = None) -> None:
    if isinstance(receiver, DequeValue) and isinstance(maxlen, int):
        receiver.maxlen = maxlen
    for element in containers.known_elements(m, values) or []:
        _append(m, receiver, element)


def _extend(m: Machine, receiver: list[Any], values: Any = None) -> None:
    elements = containers.known_elements(m, values)
    if elements is None:
        some = isinstance(values, (Unknown, LazyList))
        elements = [containers.get_item(m, values, i) for i in range(2)] if some else []
    m.keep_list(receiver)
    containers.grow(receiver, elements)


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
    "__getitem__": lambda m, receiver, key: containers.get_item(m, receiver, key),
    "__setitem__": lambda m, receiver, key, value: containers.set_item(m, receiver, key, value),
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
    found = receiver.get(containers.dict_key(key), MISSING)
    if found is not MISSING:
        return found
    rest = receiver.get("**")
    return rest.item(key) if isinstance(rest, Unknown) else default


def _setdefault(m: Machine, receiver: dict[Any, Any], key: Any = None, default: Any = None) -> Any:
    found = receiver.get(containers.dict_key(key), MISSING)
    if found is MISSING:
        m.put(receiver, containers.dict_key(key), default)
        return default
    return found


def _dict_pop(m: Machine, receiver: dict[Any, Any], key: Any = None, default: Any = MISSING) -> Any:
    found = receiver.get(containers.dict_key(key), MISSING)
    if found is MISSING:
        return Unknown("element") if default is MISSING else default
    m.remove(receiver, containers.dict_key(key))
    return found


def _update(m: Machine, receiver: dict[Any, Any], other: Any = None, **named: Any) -> None:
    m.keep_dict(receiver)
    if isinstance(other, dict):
        receiver.update(other)
    elif isinstance(other, (list, tuple)):
        for pair in other:
            if isinstance(pair, tuple) and len(pair) == 2:
                receiver[containers.dict_key(pair[0])] = pair[1]
    receiver.update(named)


def _dict_clear(m: Machine, receiver: dict[Any, Any]) -> None:
    m.keep_dict(receiver)
    receiver.clear()


_DICT: dict[str, Callable[..., Any]] = {
    "__init__": lambda m, receiver, *args, **named: _update(m, receiver, *args, **named),
    "__getitem__": lambda m, receiver, key: containers.get_item(m, receiver, key),
    "__setitem__": lambda m, receiver, key, value: containers.set_item(m, receiver, key, value),
    "__contains__": lambda m, receiver, key: containers.contains(m, receiver, key),
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
        for element in containers.known_elements(m, other) or []:
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
        elements = containers.known_elements(m, args[0]) if args else None
        if elements is not None and all(isinstance(e, str) for e in elements):
            length = sum(map(len, elements)) + len(receiver) * len(elements)
            return receiver.join(elements) if length <= containers.MAX_SIZE else Unknown("string")
        return Unknown("string")
    simple = (str, int, float, bool, tuple, type(None))
    if all(isinstance(a, simple) for a in args) and all(isinstance(v, simple) for v in kwargs.values()):
        method = getattr(receiver, name, None)
        if (
            method is not None
            and len(receiver) < 10_000
            and name not in ("ljust", "rjust", "center", "zfill", "expandtabs")
            and not (name in ("format", "format_map") and containers.may_be_wide(receiver))
        ):
            try:
                result = method(*args, **kwargs)
            except Exception:
                return Unknown("string")
            if isinstance(result, (str, bool, int, list, tuple, bytes)):
                return result
    return Unknown("string")
