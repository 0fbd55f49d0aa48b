"""Python's builtins and the parts of the standard library that programs with Warp lean on."""

from __future__ import annotations

import builtins
from collections.abc import Callable
from typing import Any

from warp_lint.host import branches, calls, containers, externals, objects, operators
from warp_lint.host.machine import Machine, RaisedError, StopProgramError
from warp_lint.host.values import (
    MISSING,
    Address,
    ArrayValue,
    BoundMethod,
    ClassValue,
    Cursor,
    FunctionValue,
    GeneratorValue,
    HostArray,
    Instance,
    LazyList,
    ModuleValue,
    Pointer,
    PropertyValue,
    Sequence,
    SetValue,
    TapeValue,
    Unknown,
    hashable,
    merge_sources,
)
from warp_lint.syntax.project import External

Args = list[Any]
Kwargs = dict[str, Any]


def integers(m: Machine, site: Any, name: str, args: Args, kwargs: Kwargs) -> Any:
    if args and all(type(a) is int for a in args) and len(args) <= 3:
        try:
            return range(*args)
        except ValueError:
            return Sequence(None, lambda i: Unknown("index"))
    args = [int(a) if isinstance(a, (bool, float)) else a for a in args]
    start = args[0] if len(args) > 1 else 0
    stop = args[1] if len(args) > 1 else args[0] if args else Unknown("stop")
    step = args[2] if len(args) > 2 else 1
    import ast

    if step == 1:
        length = operators.binary(m, ast.Sub, stop, start)
        return Sequence(
            length if isinstance(length, (int, Unknown)) else None, lambda i: operators.binary(m, ast.Add, i, start)
        )
    if step == -1:
        length = operators.binary(m, ast.Sub, start, stop)
        return Sequence(
            length if isinstance(length, (int, Unknown)) else None, lambda i: operators.binary(m, ast.Sub, start, i)
        )
    length = Unknown("length")
    return Sequence(length, lambda i: operators.binary(m, ast.Add, start, operators.binary(m, ast.Mult, i, step)))


def _len(m: Machine, site: Any, name: str, args: Args, kwargs: Kwargs) -> Any:
    return containers.length(m, args[0]) if args else Unknown("len")


def _enumerate(m: Machine, site: Any, name: str, args: Args, kwargs: Kwargs) -> Any:
    inner = containers.sequence(m, args[0])
    start = args[1] if len(args) > 1 else kwargs.get("start", 0)
    import ast

    return Sequence(inner.length, lambda i: (operators.binary(m, ast.Add, i, start) if start != 0 else i, inner.get(i)))


def _zip(m: Machine, site: Any, name: str, args: Args, kwargs: Kwargs) -> Any:
    parts = [containers.sequence(m, a) for a in args]
    known = [p.length for p in parts if isinstance(p.length, int)]
    length = min(known) if known else next((p.length for p in parts if p.length is not None), None)
    return Sequence(length, lambda i: tuple(p.get(i) for p in parts))


def _reversed(m: Machine, site: Any, name: str, args: Args, kwargs: Kwargs) -> Any:
    inner = containers.sequence(m, args[0])
    length = inner.length
    if isinstance(length, int):
        return Sequence(length, lambda i: inner.get(length - 1 - i) if isinstance(i, int) else inner.get(i))
    if isinstance(length, Unknown):

        def mirrored(i: Any) -> Any:
            if isinstance(i, int):
                return inner.get(length.shift(-1 - i))
            return inner.get(length.offset - 1 - i.offset) if i.base is length.base else inner.get(i)

        return Sequence(length, mirrored)
    return inner


def _list(m: Machine, site: Any, name: str, args: Args, kwargs: Kwargs) -> Any:
    if not args:
        return [] if name.endswith("list") else ()
    value = args[0]
    elements = containers.known_elements(m, value)
    if elements is not None:
        return elements if name.endswith("list") else tuple(elements)
    if isinstance(value, Unknown):
        return value
    produced = containers.sequence(m, value)
    return LazyList(produced.length if produced.length is not None else Unknown("len"), produced.get)


def dictionary(m: Machine, site: Any, name: str, args: Args, kwargs: Kwargs) -> Any:
    result: dict[Any, Any] = {}
    if args:
        given = args[0].native if isinstance(args[0], Instance) and isinstance(args[0].native, dict) else args[0]
        if isinstance(given, dict):
            result.update(given)
        else:
            for pair in containers.known_elements(m, args[0]) or []:
                key, value = containers.unpack(m, pair, 2)
                result[containers.dict_key(key)] = value
    result.update(kwargs)
    return result


def _set(m: Machine, site: Any, name: str, args: Args, kwargs: Kwargs) -> Any:
    elements = containers.known_elements(m, args[0]) if args else []
    return SetValue({hashable(e): e for e in elements or []})


def _number(m: Machine, site: Any, name: str, args: Args, kwargs: Kwargs) -> Any:
    """`int`, `float`, `bool`, `complex`."""
    short = name.rpartition(".")[2]
    if not args:
        return {"int": 0, "float": 0.0, "bool": False}.get(short, Unknown(short))
    value = operators.number_of(args[0])
    if short == "bool":
        return branches.truth(m, value)
    if isinstance(value, (int, float, str)):
        try:
            return int(value) if short == "int" else float(value)
        except (ValueError, OverflowError):
            return Unknown(short)
    if isinstance(value, Pointer):
        return Address(value.array)
    operators.use(m, value)
    if isinstance(value, HostArray):
        return Unknown(f"{short}({value.text})", value.sources)
    if isinstance(value, Unknown):
        return value
    return Unknown(short, merge_sources(value))


def _str(m: Machine, site: Any, name: str, args: Args, kwargs: Kwargs) -> Any:
    if args and isinstance(args[0], (str, int, float, bool)):
        return str(args[0])
    return Unknown("string") if args else ""


def _min_max(m: Machine, site: Any, name: str, args: Args, kwargs: Kwargs) -> Any:
    values = args if len(args) > 1 else containers.known_elements(m, args[0]) if args else None
    if values and all(isinstance(v, (int, float)) for v in values) and not kwargs:
        return min(values) if name.endswith("min") else max(values)
    for value in args:
        operators.use(m, value)
    return Unknown(name.rpartition(".")[2], merge_sources(*args))


def _sum(m: Machine, site: Any, name: str, args: Args, kwargs: Kwargs) -> Any:
    import ast

    elements = containers.known_elements(m, args[0]) if args else None
    if elements is None or len(elements) > 200:
        return Unknown("sum", merge_sources(*args))
    total: Any = args[1] if len(args) > 1 else kwargs.get("start", 0)
    for element in elements:
        if type(total) is int and total == 0 and not isinstance(element, ArrayValue):
            total = element
        else:
            total = operators.binary(m, ast.Add, total, element)
    return total


def _abs(m: Machine, site: Any, name: str, args: Args, kwargs: Kwargs) -> Any:
    if args and isinstance(args[0], (int, float)):
        return abs(args[0])
    operators.use(m, args[0] if args else None)
    return Unknown("abs", merge_sources(*args))


def _round(m: Machine, site: Any, name: str, args: Args, kwargs: Kwargs) -> Any:
    if args and all(isinstance(a, (int, float)) for a in args):
        try:
            return round(*args)
        except (ValueError, TypeError, OverflowError):
            return Unknown("round")
    return Unknown("round", merge_sources(*args))


def _any_all(m: Machine, site: Any, name: str, args: Args, kwargs: Kwargs) -> Any:
    elements = containers.known_elements(m, args[0]) if args else None
    if elements is None:
        return Unknown(name)
    stop = name.endswith("any")
    outcomes = [branches.truth(m, e) for e in elements]
    if any(o is stop for o in outcomes):
        return stop
    return next((o for o in outcomes if o is not True and o is not False), not stop)


def _map(m: Machine, site: Any, name: str, args: Args, kwargs: Kwargs) -> Any:
    if len(args) < 2:
        return Unknown("map")
    function, *iterables = args
    sequences = [containers.sequence(m, i) for i in iterables]
    length = sequences[0].length
    if isinstance(length, int) and length <= 64:
        return [calls.call_value(m, site, function, [s.get(i) for s in sequences], {}) for i in range(length)]
    return LazyList(
        length if length is not None else Unknown("len"),
        lambda i: calls.call_value(m, site, function, [s.get(i) for s in sequences], {}),
    )


def _filter(m: Machine, site: Any, name: str, args: Args, kwargs: Kwargs) -> Any:
    elements = containers.first_elements(m, args[1], 64) if len(args) > 1 else []
    function = args[0]
    kept = []
    for element in elements:
        outcome = element if function is None else calls.call_value(m, site, function, [element], {})
        if branches.truth(m, outcome) is not False:
            kept.append(element)
    return kept


def _sorted(m: Machine, site: Any, name: str, args: Args, kwargs: Kwargs) -> Any:
    elements = containers.known_elements(m, args[0]) if args else None
    if elements is None:
        return args[0] if args else []
    if "key" not in kwargs and all(isinstance(e, (int, float)) for e in elements):
        return sorted(elements, reverse=kwargs.get("reverse") is True)
    if "key" not in kwargs and all(isinstance(e, str) for e in elements):
        return sorted(elements, reverse=kwargs.get("reverse") is True)
    return elements


def _iter(m: Machine, site: Any, name: str, args: Args, kwargs: Kwargs) -> Any:
    if args and isinstance(args[0], Cursor):
        return args[0]
    return Cursor(containers.sequence(m, args[0])) if args else Unknown("iter")


def _next(m: Machine, site: Any, name: str, args: Args, kwargs: Kwargs) -> Any:
    value = args[0] if args else None
    if isinstance(value, GeneratorValue):
        elements = containers.collect(m, value, containers.MAX_ELEMENTS)
        if elements:
            return elements.pop(0)
        return args[1] if len(args) > 1 else Unknown("next")
    if isinstance(value, Cursor):
        position = value.position
        if isinstance(value.sequence.length, int) and position >= value.sequence.length:
            if len(args) > 1:
                return args[1]
            raise RaisedError(m.native("exception", "StopIteration"))
        m.set(value, "position", position + 1)
        return value.sequence.get(position)
    if isinstance(value, Instance) and value.cls is not None:
        method = value.cls.lookup("__next__")
        if isinstance(method, FunctionValue):
            return calls.call_function(m, method, [value], {})
    if isinstance(value, (Sequence, list, tuple)):
        known = containers.known_elements(m, value)
        if known:
            return known[0]
        if len(args) > 1 and known is not None:
            return args[1]
    return Unknown("next", merge_sources(value))


def _isinstance(m: Machine, site: Any, name: str, args: Args, kwargs: Kwargs) -> Any:
    return objects.is_instance(m, args[0], args[1]) if len(args) == 2 else Unknown("isinstance")


def _issubclass(m: Machine, site: Any, name: str, args: Args, kwargs: Kwargs) -> Any:
    if len(args) == 2 and isinstance(args[0], ClassValue) and isinstance(args[1], (ClassValue, External)):
        return args[1] in args[0].mro
    return Unknown("issubclass")


def _hasattr(m: Machine, site: Any, name: str, args: Args, kwargs: Kwargs) -> Any:
    if len(args) != 2 or not isinstance(args[1], str):
        return Unknown("hasattr")
    value, attribute = args
    if isinstance(value, Instance):
        if attribute in value.attributes:
            return True
        if value.cls is not None and value.cls.lookup(attribute) is not MISSING:
            return True
        return Unknown(f"hasattr({attribute})") if value.cls is not None and value.cls.open else False
    if isinstance(value, (ModuleValue, ClassValue)):
        namespace = value.namespace
        return (
            True
            if attribute in namespace
            else False
            if isinstance(value, ModuleValue)
            else value.lookup(attribute) is not MISSING
        )
    if isinstance(value, External):
        return True
    if isinstance(value, Unknown):
        return value.derived("hasattr", attribute, f"hasattr({value.text}, {attribute})")
    return hasattr(value, attribute) if isinstance(value, (str, list, dict, tuple, int, float)) else Unknown("hasattr")


def _getattr(m: Machine, site: Any, name: str, args: Args, kwargs: Kwargs) -> Any:
    if len(args) < 2:
        return Unknown("getattr")
    value, attribute = args[0], args[1]
    if not isinstance(attribute, str):
        return value.derived("getattr", attribute, "getattr") if isinstance(value, Unknown) else Unknown("getattr")
    if len(args) > 2 and isinstance(value, Instance):
        present = _hasattr(m, site, name, args[:2], {})
        if present is False:
            return args[2]
    return objects.get_attribute(m, value, attribute)


def _setattr(m: Machine, site: Any, name: str, args: Args, kwargs: Kwargs) -> Any:
    if len(args) == 3 and isinstance(args[1], str):
        objects.set_attribute(m, args[0], args[1], args[2])


def _type(m: Machine, site: Any, name: str, args: Args, kwargs: Kwargs) -> Any:
    value = args[0] if args else None
    if isinstance(value, Instance) and value.cls is not None:
        return value.cls
    for kind in (bool, int, float, str, list, tuple, dict):
        if type(value) is kind:
            return External(f"builtins.{kind.__name__}")
    return Unknown("type")


def _print(m: Machine, site: Any, name: str, args: Args, kwargs: Kwargs) -> Any:
    for value in args:
        externals.read_on_host(m, value)


def _unknown(text: str) -> Callable[..., Any]:
    def handler(m: Machine, site: Any, name: str, args: Args, kwargs: Kwargs) -> Any:
        for value in args:
            operators.use(m, value)
        return Unknown(text, merge_sources(*args))

    return handler


def _property(m: Machine, site: Any, name: str, args: Args, kwargs: Kwargs) -> Any:
    return PropertyValue(args[0] if args else kwargs.get("fget"), args[1] if len(args) > 1 else kwargs.get("fset"))


def property_kind(m: Machine, site: Any, name: str, args: Args, kwargs: Kwargs) -> Any:
    from warp_lint.host.definitions import decorate

    return decorate(m, External(name), args[0]) if args else Unknown(name)


def _slice(m: Machine, site: Any, name: str, args: Args, kwargs: Kwargs) -> Any:
    return slice(*args) if 1 <= len(args) <= 3 else Unknown("slice")


def _exit(m: Machine, site: Any, name: str, args: Args, kwargs: Kwargs) -> Any:
    raise StopProgramError


def _super(m: Machine, site: Any, name: str, args: Args, kwargs: Kwargs) -> Any:
    return objects.make_super(m, m.frame, args)


def _object_method(m: Machine, site: Any, name: str, args: Args, kwargs: Kwargs) -> Any:
    """`object.__setattr__(x, name, value)` and friends."""
    short = name.rpartition(".")[2]
    receiver = args[0] if args else None
    if short == "__new__" and isinstance(receiver, ClassValue):
        return m.instance(receiver, site.hint if site is not None else "")
    if isinstance(receiver, Instance) and len(args) > 1 and isinstance(args[1], str):
        if short == "__setattr__" and len(args) == 3:
            objects.store(m, receiver, args[1], args[2])
        elif short == "__delattr__":
            objects.delete_attribute(m, receiver, args[1])
        elif short == "__getattribute__":
            return objects.get_attribute(m, receiver, args[1])
    return None


def _exception(m: Machine, site: Any, name: str, args: Args, kwargs: Kwargs) -> Any:
    return m.native("exception", name.rpartition(".")[2], args=tuple(args))


_OBJECT_METHODS = ("__setattr__", "__delattr__", "__getattribute__", "__new__", "__init__", "__init_subclass__")
_EXCEPTIONS = [
    n for n in dir(builtins) if n.endswith(("Error", "Exception", "Warning", "Exit", "Interrupt", "Iteration"))
]

HANDLERS: dict[str, Callable[..., Any]] = {
    **{f"builtins.object.{n}": _object_method for n in _OBJECT_METHODS},
    **{f"builtins.{n}": _exception for n in _EXCEPTIONS},
    "builtins.delattr": lambda m, site, name, args, kwargs: _object_method(m, site, "__delattr__", args, kwargs),
    "builtins.range": integers,
    "builtins.len": _len,
    "builtins.enumerate": _enumerate,
    "builtins.zip": _zip,
    "builtins.reversed": _reversed,
    "builtins.list": _list,
    "builtins.tuple": _list,
    "builtins.dict": dictionary,
    "builtins.set": _set,
    "builtins.frozenset": _set,
    "builtins.int": _number,
    "builtins.float": _number,
    "builtins.bool": _number,
    "builtins.str": _str,
    "builtins.repr": _str,
    "builtins.format": _str,
    "builtins.min": _min_max,
    "builtins.max": _min_max,
    "builtins.sum": _sum,
    "builtins.abs": _abs,
    "builtins.round": _round,
    "builtins.any": _any_all,
    "builtins.all": _any_all,
    "builtins.map": _map,
    "builtins.filter": _filter,
    "builtins.sorted": _sorted,
    "builtins.iter": _iter,
    "builtins.next": _next,
    "builtins.isinstance": _isinstance,
    "builtins.issubclass": _issubclass,
    "builtins.hasattr": _hasattr,
    "builtins.getattr": _getattr,
    "builtins.setattr": _setattr,
    "builtins.type": _type,
    "builtins.print": _print,
    "builtins.id": _unknown("id"),
    "builtins.hash": _unknown("hash"),
    "builtins.input": _unknown("input"),
    "builtins.open": _unknown("file"),
    "builtins.property": _property,
    "builtins.staticmethod": property_kind,
    "builtins.classmethod": property_kind,
    "builtins.slice": _slice,
    "builtins.super": _super,
    "builtins.exit": _exit,
    "builtins.quit": _exit,
    "builtins.callable": lambda m, site, name, args, kwargs: (
        Unknown("callable") if args and isinstance(args[0], Unknown) else bool(args) and objects.is_callable(args[0])
    ),
    "sys.exit": _exit,
    "os._exit": _exit,
}

_ = (BoundMethod, TapeValue)
