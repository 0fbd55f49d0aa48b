"""The parts of the standard library that programs with Warp lean on."""

from __future__ import annotations

import ast
import math
from collections.abc import Callable
from typing import Any

from warp_lint.host import calls, container_methods, containers, imports, operators
from warp_lint.host.machine import Machine, StopProgramError
from warp_lint.host.python_api import dictionary, integers, property_kind
from warp_lint.host.values import (
    ArrayValue,
    ClassValue,
    Cursor,
    DequeValue,
    FunctionValue,
    HostArray,
    Instance,
    PartialValue,
    Sequence,
    Unknown,
    merge_sources,
)
from warp_lint.syntax.project import External

Args = list[Any]
Kwargs = dict[str, Any]


def _decorator(m: Machine, site: Any, name: str, args: Args, kwargs: Kwargs) -> Any:
    """A library decorator called with options, or on a function directly."""
    if len(args) == 1 and isinstance(args[0], (FunctionValue, ClassValue)) and not name.endswith("wraps"):
        from warp_lint.host.definitions import decorate

        return decorate(m, External(name), args[0])
    return m.native("decorator", name)


def _partial(m: Machine, site: Any, name: str, args: Args, kwargs: Kwargs) -> Any:
    return PartialValue(args[0], args[1:], kwargs) if args else Unknown("partial")


def _field(m: Machine, site: Any, name: str, args: Args, kwargs: Kwargs) -> Any:
    return m.native("field", "field", **kwargs)


def _replace(m: Machine, site: Any, name: str, args: Args, kwargs: Kwargs) -> Any:
    if args and isinstance(args[0], Instance):
        made = m.instance(args[0].cls, args[0].name)
        made.attributes.update({**args[0].attributes, **kwargs})
        return made
    return Unknown("replace")


def _copy(m: Machine, site: Any, name: str, args: Args, kwargs: Kwargs) -> Any:
    """`copy.copy`, `copy.deepcopy`."""
    value = args[0] if args else None
    if isinstance(value, (list, dict)):
        return type(value)(value)
    if isinstance(value, Instance):
        made = m.instance(value.cls, value.name)
        made.attributes.update(value.attributes)
        return made
    if isinstance(value, ArrayValue) and name.endswith("deepcopy"):
        return Unknown("copy", (value,))
    return value


def _parser(m: Machine, site: Any, name: str, args: Args, kwargs: Kwargs) -> Any:
    return m.native("parser", "parser", arguments={})


def _namespace(m: Machine, site: Any, name: str, args: Args, kwargs: Kwargs) -> Any:
    made = m.instance(None, site.hint if site is not None else "namespace")
    made.attributes.update(kwargs)
    return made


def _nullcontext(m: Machine, site: Any, name: str, args: Args, kwargs: Kwargs) -> Any:
    return m.native("nullcontext", "nullcontext", value=args[0] if args else None)


def _exitstack(m: Machine, site: Any, name: str, args: Args, kwargs: Kwargs) -> Any:
    return m.native("exitstack", "stack", leave=[])


def _suppress(m: Machine, site: Any, name: str, args: Args, kwargs: Kwargs) -> Any:
    return m.native("suppress", "suppress")


def _defaultdict(m: Machine, site: Any, name: str, args: Args, kwargs: Kwargs) -> Any:
    result: dict[Any, Any] = {}
    if args:
        m.default_factories[id(result)] = (result, args[0])
    return result


def _deque(m: Machine, site: Any, name: str, args: Args, kwargs: Kwargs) -> Any:
    made = DequeValue()
    container_methods.call_method(m, made, "__init__", args, kwargs)
    return made


def _chain(m: Machine, site: Any, name: str, args: Args, kwargs: Kwargs) -> Any:
    result: list[Any] = []
    parts = containers.known_elements(m, args[0]) or [] if name.endswith("from_iterable") and args else args
    for part in parts:
        result.extend(containers.first_elements(m, part, containers.MAX_ELEMENTS))
    return result


def _product(m: Machine, site: Any, name: str, args: Args, kwargs: Kwargs) -> Any:
    result: list[tuple[Any, ...]] = [()]
    repeat = kwargs.get("repeat", 1)
    for part in args * (repeat if isinstance(repeat, int) and repeat < 5 else 1):
        elements = containers.first_elements(m, part, 32)
        result = [(*r, e) for r in result for e in elements][:512]
    return result


def _count(m: Machine, site: Any, name: str, args: Args, kwargs: Kwargs) -> Any:
    start = args[0] if args else 0
    return Sequence(None, lambda i: i + start if isinstance(i, int) and isinstance(start, int) else Unknown("count"))


def _cycle(m: Machine, site: Any, name: str, args: Args, kwargs: Kwargs) -> Any:
    elements = containers.known_elements(m, args[0]) if args else None
    if not elements:
        return Unknown("cycle")
    return Cursor(Sequence(None, lambda i: elements[i % len(elements)] if isinstance(i, int) else elements[0]))


def _islice(m: Machine, site: Any, name: str, args: Args, kwargs: Kwargs) -> Any:
    inner = containers.sequence(m, args[0])
    stop = args[1] if len(args) > 1 else None
    return Sequence(stop if isinstance(stop, (int, Unknown)) else inner.length, inner.get)


def _repeat(m: Machine, site: Any, name: str, args: Args, kwargs: Kwargs) -> Any:
    return Sequence(args[1] if len(args) > 1 else None, lambda i: args[0])


def _reduce(m: Machine, site: Any, name: str, args: Args, kwargs: Kwargs) -> Any:
    elements = containers.first_elements(m, args[1], 64) if len(args) > 1 else []
    if len(args) > 2:
        elements = [args[2], *elements]
    if not elements:
        return Unknown("reduce")
    result = elements[0]
    for element in elements[1:]:
        result = calls.call_value(m, site, args[0], [result, element], {})
    return result


def _math(m: Machine, site: Any, name: str, args: Args, kwargs: Kwargs) -> Any:
    function = getattr(math, name.rpartition(".")[2], None)
    if (
        function is not None
        and args
        and all(isinstance(a, (int, float)) for a in args)
        and name not in ("math.factorial", "math.comb")
    ):
        try:
            result = function(*args)
        except (ValueError, OverflowError, TypeError):
            return Unknown(name)
        return result if isinstance(result, (int, float)) else Unknown(name)
    for value in args:
        operators.use(m, value)
    if (
        len(args) == 1
        and isinstance(args[0], Unknown)
        and name in ("math.floor", "math.ceil")
        and not isinstance(args[0], HostArray)
    ):
        return args[0].derived(name, 0, f"{name}({args[0].text})")
    return Unknown(name, merge_sources(*args))


def _import_module(m: Machine, site: Any, name: str, args: Args, kwargs: Kwargs) -> Any:
    if args and isinstance(args[0], str):
        target = args[0]
        if target.startswith("."):
            package = args[1] if len(args) > 1 and isinstance(args[1], str) else m.frame.module.module.package
            target = f"{package}{target}" if package else target.lstrip(".")
        return imports.module_named(m, m.frame.module.module, target)
    return Unknown("module")


def _attrgetter(m: Machine, site: Any, name: str, args: Args, kwargs: Kwargs) -> Any:
    return m.native("itemgetter", "itemgetter", key=args[0] if args else 0)


def _cast(m: Machine, site: Any, name: str, args: Args, kwargs: Kwargs) -> Any:
    return args[1] if len(args) > 1 else Unknown("cast")


def _unittest_main(m: Machine, site: Any, name: str, args: Args, kwargs: Kwargs) -> Any:
    raise StopProgramError


def _namedtuple(m: Machine, site: Any, name: str, args: Args, kwargs: Kwargs) -> Any:
    label = args[0] if args and isinstance(args[0], str) else "namedtuple"
    fields = args[1] if len(args) > 1 else ()
    if isinstance(fields, str):
        fields = fields.replace(",", " ").split()
    cls = ClassValue(label, m.frame.module.module, None, [])
    cls.kind = "namedtuple"

    cls.annotations = {f: ast.Constant(None) for f in containers.known_elements(m, fields) or [] if isinstance(f, str)}
    return cls


HANDLERS: dict[str, Callable[..., Any]] = {
    "functools.partial": _partial,
    "functools.reduce": _reduce,
    **{f"functools.{n}": _decorator for n in ("wraps", "lru_cache", "cache", "cached_property", "total_ordering")},
    "functools.partialmethod": _partial,
    **{f"dataclasses.{n}": _decorator for n in ("dataclass",)},
    "dataclasses.field": _field,
    "dataclasses.replace": _replace,
    "copy.copy": _copy,
    "copy.deepcopy": _copy,
    "argparse.ArgumentParser": _parser,
    "argparse.Namespace": _namespace,
    "types.SimpleNamespace": _namespace,
    "contextlib.nullcontext": _nullcontext,
    "contextlib.ExitStack": _exitstack,
    "contextlib.suppress": _suppress,
    "contextlib.contextmanager": property_kind,
    "collections.defaultdict": _defaultdict,
    "collections.OrderedDict": dictionary,
    "collections.deque": _deque,
    "collections.namedtuple": _namedtuple,
    "itertools.chain": _chain,
    "itertools.chain.from_iterable": _chain,
    "itertools.product": _product,
    "itertools.count": _count,
    "itertools.cycle": _cycle,
    "itertools.islice": _islice,
    "itertools.repeat": _repeat,
    "importlib.import_module": _import_module,
    "operator.attrgetter": _attrgetter,
    "operator.itemgetter": _attrgetter,
    "typing.cast": _cast,
    "unittest.main": _unittest_main,
    "tqdm.tqdm": lambda m, site, name, args, kwargs: args[0] if args else kwargs.get("iterable", Unknown("tqdm")),
    "tqdm.trange": integers,
    "tqdm.auto.tqdm": lambda m, site, name, args, kwargs: args[0] if args else Unknown("tqdm"),
    **{f"math.{n}": _math for n in dir(math) if not n.startswith("_") and callable(getattr(math, n))},
}
