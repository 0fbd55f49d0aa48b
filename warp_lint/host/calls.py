"""Calls: binding of arguments, inlining, budgets, and what is said of calls that can't be followed."""

from __future__ import annotations

from typing import Any

from warp_lint.host import (
    arrays,
    branches,
    container_methods,
    containers,
    definitions,
    externals,
    natives,
    objects,
    torch_bridge,
)
from warp_lint.host.machine import (
    CALL_DEPTH,
    CALL_FLOOR,
    CALL_SHARE,
    RECURSION,
    Frame,
    Machine,
    OverrunError,
    RaisedError,
)
from warp_lint.host.values import (
    MISSING,
    ArrayValue,
    BoundMethod,
    ClassValue,
    DequeValue,
    FunctionValue,
    GeneratorValue,
    HostArray,
    Instance,
    KernelValue,
    LazyList,
    ModuleValue,
    Native,
    NativeMethod,
    PartialValue,
    PropertyValue,
    SetValue,
    Spread,
    SuperValue,
    TapeValue,
    Unknown,
    merge_sources,
)
from warp_lint.syntax.project import External
from warp_lint.trace import model


def call_value(m: Machine, site: Any, target: Any, args: list[Any], kwargs: dict[str, Any]) -> Any:
    kind = type(target)
    if kind is FunctionValue:
        return call_function(m, target, args, kwargs)
    if kind is External:
        return externals.call(m, site, target.name, args, kwargs)
    if kind is BoundMethod:
        return call_value(m, site, target.function, [target.receiver, *args], kwargs)
    if kind is ClassValue:
        return definitions.instantiate(m, site, target, args, kwargs)
    if kind is NativeMethod:
        return call_method(m, site, target.receiver, target.name, args, kwargs)
    if kind is PartialValue:
        return call_value(m, site, target.function, [*target.args, *args], {**target.kwargs, **kwargs})
    if kind is Instance:
        cls = target.cls
        if cls is not None:
            for name in ("__call__", "forward"):
                method = cls.lookup(name)
                if isinstance(method, FunctionValue):
                    return call_function(m, method, [target, *args], kwargs)
        if target.native is not None:
            return call_value(m, site, target.native, args, kwargs)
        return opaque(m, f"{target.name or 'object'}()", args, kwargs)
    if kind is Native:
        return natives.call(m, site, target, args, kwargs)
    if isinstance(target, Unknown):
        return unknown_call(m, target.text or "unknown", args, kwargs)
    return Unknown("result", merge_sources(*args))


def call_method(m: Machine, site: Any, receiver: Any, name: str, args: list[Any], kwargs: dict[str, Any]) -> Any:
    kind = type(receiver)
    if kind is Instance:
        value = receiver.attributes.get(name, MISSING)
        if value is MISSING and receiver.cls is not None:
            found = receiver.cls.lookup(name)
            if type(found) is FunctionValue:
                if _draws(m, receiver.cls):
                    return Unknown(f"{receiver.name}.{name}()")
                if found.kind == "static":
                    return call_function(m, found, args, kwargs)
                if found.kind == "class":
                    return call_function(m, found, [receiver.cls, *args], kwargs)
                return call_function(m, found, [receiver, *args], kwargs)
            if found is MISSING:
                native = receiver.native
                plain = isinstance(native, (dict, list))
                if native is not None and (not plain or container_methods.has_method(native, name)):
                    return call_method(m, site, receiver.native, name, args, kwargs)
                outcome = _inherited_method(m, receiver, name, args, kwargs)
                if outcome is not MISSING:
                    return outcome
        if value is MISSING:
            value = objects.instance_attribute(m, receiver, name)
        return call_value(m, site, value, args, kwargs)
    if kind is ArrayValue:
        return arrays.call_method(m, site, receiver, name, args, kwargs)
    if kind is External:
        return externals.call(m, site, externals.canonical(m, f"{receiver.name}.{name}"), args, kwargs)
    if kind in (list, dict, str, tuple, DequeValue, SetValue, LazyList, GeneratorValue, bytes, range):
        return container_methods.call_method(m, receiver, name, args, kwargs)
    if kind is TapeValue:
        return natives.tape_call(m, site, receiver, name, args, kwargs)
    if kind is Native:
        return natives.call_method(m, site, receiver, name, args, kwargs)
    if isinstance(receiver, Unknown):
        return _unknown_method(m, site, receiver, name, args, kwargs)
    if kind is ClassValue and name == "apply" and definitions.is_torch_function(receiver):
        return torch_bridge.apply(m, receiver, args, kwargs)
    if kind in (ModuleValue, ClassValue, SuperValue, BoundMethod):
        if kind is ClassValue and (found := receiver.lookup(name)) is not MISSING and isinstance(found, FunctionValue):
            return call_function(m, found, [receiver, *args] if found.kind == "class" else args, kwargs)
        return call_value(m, site, objects.get_attribute(m, receiver, name), args, kwargs)
    if kind is FunctionValue and name == "__call__":
        return call_function(m, receiver, args, kwargs)
    if kind is KernelValue:
        return Unknown(f"{receiver.name}.{name}()")
    if kind is PropertyValue:
        return definitions.decorate(m, NativeMethod(receiver, name), args[0]) if args else receiver
    if receiver is None:
        if m.try_depth:
            raise RaisedError(m.native("exception", "AttributeError"))
        return Unknown(f"None.{name}()")
    return container_methods.call_method(m, receiver, name, args, kwargs)


def _draws(m: Machine, cls: ClassValue) -> bool:
    """A viewer of a library: its methods read at most, and cost much to follow."""
    return ("Viewer" in cls.name or "Renderer" in cls.name) and not m.is_user(cls.module)


def _inherited_method(m: Machine, receiver: Instance, name: str, args: list[Any], kwargs: dict[str, Any]) -> Any:
    """Methods of well known bases outside the project."""
    if receiver.cls is None:
        return MISSING
    bases = receiver.cls.external_bases()
    if not bases:
        if receiver.cls.kind == "namedtuple" and name == "_replace":
            copy = m.instance(receiver.cls, receiver.name)
            copy.attributes.update({**receiver.attributes, **kwargs})
            return copy
        return MISSING
    if name.startswith("assert") or name in ("skipTest", "subTest", "fail", "setUp", "tearDown", "addCleanup"):
        for value in args:
            externals.read_on_host(m, value)
        return Unknown(name)
    if name in ("parameters", "named_parameters", "register_buffer", "to", "train", "eval", "register_parameter"):
        if name in ("to", "train", "eval"):
            return receiver
        if name == "register_buffer" and len(args) >= 2:
            m.put(receiver.attributes, args[0], args[1])
        return Unknown(name)
    return MISSING


def _unknown_method(
    m: Machine, site: Any, receiver: Unknown, name: str, args: list[Any], kwargs: dict[str, Any]
) -> Any:
    if isinstance(receiver, HostArray):
        return externals.host_method(m, site, receiver, name, args, kwargs)
    array = receiver.memo.get(("array",))
    if array is not None:
        return arrays.call_method(m, site, array, name, args, kwargs)
    tape = receiver.memo.get(("tape",))
    if tape is None and name in ("backward", "zero", "reset", "record_func") and natives.names_tape(receiver.text):
        tape = natives.as_tape(m, receiver)
    if tape is not None:
        return natives.tape_call(m, site, tape, name, args, kwargs)
    stored = receiver.memo.get(("attr", name))
    if stored is not None and not isinstance(stored, Unknown):
        return call_value(m, site, stored, args, kwargs)
    if name in arrays.TELLING_METHODS:
        return arrays.call_method(m, site, arrays.as_array(m, receiver), name, args, kwargs)
    if name == "backward":
        return torch_bridge.backward(m, receiver)
    if name in ("append", "extend", "insert"):
        return None
    if name in ("items", "keys", "values", "get") and name != "get":
        return receiver.child(("call", name), f"{receiver.text}.{name}()")
    if name == "get" and args:
        return receiver.item(args[0])
    return unknown_call(m, f"{receiver.text}.{name}", args, kwargs, receiver)


_HARMLESS = frozenset(
    [
        "print",
        "log",
        "info",
        "warning",
        "debug",
        "error",
        "render",
        "render_points",
        "render_line_strip",
        "begin_frame",
        "end_frame",
        "plot",
        "show",
        "savefig",
        "write",
        "add_argument",
        "format",
        "join",
        "strip",
        "split",
        "lower",
        "upper",
        "startswith",
        "endswith",
        "wait",
        "synchronize",
        "record_event",
        "flush",
        "close",
        "set_description",
        "update_text",
        "tick",
    ]
)


def unknown_call(
    m: Machine, name: str, args: list[Any], kwargs: dict[str, Any], receiver: Unknown | None = None
) -> Any:
    """A call whose target isn't known. Functions of the project that it receives are run once."""
    short = name.rpartition(".")[2]
    values = [*args, *kwargs.values()]
    for value in values:
        if isinstance(value, (FunctionValue, BoundMethod, PartialValue)):
            run_callback(m, value)
    if short in _HARMLESS or short.startswith("assert") or branches.words_false(name):
        for value in values:
            externals.read_on_host(m, value)
        return Unknown(f"{name}()", merge_sources(*values))
    return opaque(m, name, args, kwargs, receiver)


def run_callback(m: Machine, function: Any) -> None:
    """Something outside the project will call this function, perhaps often: as if in a loop."""
    inner = function.function if isinstance(function, (BoundMethod, PartialValue)) else function
    if not isinstance(inner, FunctionValue) or m.active.get(inner.node) or inner.kind == "func":
        return
    from warp_lint.host.lower import code_of

    code = code_of(m, inner.node, inner.module)
    taken = 1 if isinstance(function, BoundMethod) else len(function.args) if isinstance(function, PartialValue) else 0
    names = code.params[taken : max(taken, len(code.params) - len(inner.defaults))]
    m.assumed += 1
    try:
        for _ in range(2):
            call_value(m, None, function, [Unknown(name) for name in names], {})
    finally:
        m.assumed -= 1


def opaque(m: Machine, name: str, args: list[Any], kwargs: dict[str, Any], receiver: Unknown | None = None) -> Any:
    """A call that isn't followed: it may read, write and zero what it gets."""
    found: dict[int, ArrayValue] = {}
    tapes: dict[int, TapeValue] = {}
    values = [*args, *kwargs.values()]
    for value in values:
        reachable(value, found, tapes)
    if found or tapes:
        m.emit(
            model.Opaque,
            function=name,
            arrays=tuple(found.values()),
            tapes=tuple(m.use_tape(t) for t in tapes.values()),
        )
        m.give_up(f"call of `{name}`, whose source isn't known")
    sources = merge_sources(*values, *([receiver] if receiver is not None else []))
    result = Unknown(f"{name}()", sources)
    return result


def reachable(value: Any, found: dict[int, ArrayValue], tapes: dict[int, TapeValue], depth: int = 0) -> None:
    if isinstance(value, ArrayValue):
        if len(found) < 48:
            found[id(value)] = value
    elif isinstance(value, TapeValue):
        tapes[value.id] = value
    elif depth >= 3:
        return
    elif isinstance(value, Instance):
        for member in list(value.attributes.values())[:64]:
            reachable(member, found, tapes, depth + 1)
        if value.native is not None:
            reachable(value.native, found, tapes, depth + 1)
    elif isinstance(value, (list, tuple)):
        for member in value[:32]:
            reachable(member, found, tapes, depth + 1)
    elif isinstance(value, dict):
        for member in list(value.values())[:32]:
            reachable(member, found, tapes, depth + 1)
    elif isinstance(value, LazyList):
        for member in list(value.cells.values())[:32]:
            reachable(member, found, tapes, depth + 1)
    elif isinstance(value, Spread):
        reachable(value.value, found, tapes, depth + 1)
    elif isinstance(value, Unknown) and ("array",) in value.memo:
        found[id(value.memo[("array",)])] = value.memo[("array",)]


# Inlining


def call_function(m: Machine, function: FunctionValue, args: list[Any], kwargs: dict[str, Any]) -> Any:
    """Run a function of the project on these arguments. Depth, recursion and statements are limited;
    a call that goes over its share, or raises with nobody to catch, ends with an unknown result."""
    from warp_lint.host.lower import code_of

    node = function.node
    active = m.active.get(node, 0)
    if m.depth >= CALL_DEPTH or active >= RECURSION:
        m.give_up(
            f"call of `{function.name}` at depth {m.depth}" if active < RECURSION else f"recursion of `{function.name}`"
        )
        return Unknown(f"{function.name}()", merge_sources(*args))
    code = m.codes.get(node) or code_of(m, node, function.module)
    lexical = function.lexical
    frame = Frame(function.home, m.is_user(function.module), m.frame)
    frame.lexical = lexical
    frame.function = function
    frame.cls = function.owner
    frame.receiver = args[0] if args and function.owner is not None else None
    bind_arguments(m, code, function, frame.vars, args, kwargs)
    m.called.add(node)
    if code.generator:
        return GeneratorValue(lambda on_yield: _run(m, function, code, frame, on_yield), function.kind == "context")
    return _run(m, function, code, frame, None)


def _run(m: Machine, function: FunctionValue, code: Any, frame: Frame, on_yield: Any) -> Any:
    node = function.node
    active = m.active.get(node, 0)
    caller, guards, truths, limit, loops = m.frame, m.guards, m.truths, m.limit, m.loops
    left = limit - m.steps
    m.limit = m.steps + max(int(CALL_SHARE * left), CALL_FLOOR)
    m.active[node] = active + 1
    m.depth += 1
    m.frame = frame
    frame.on_yield = on_yield
    frame.node = node
    depth, tapes, assumed, try_depth = m.depth, len(m.tapes), m.assumed, m.try_depth
    try:
        code.body(frame)
        result = frame.result
        if frame.returns is not None:
            for other in frame.returns:
                result = branches.merge(m, other, result)
        return result
    except OverrunError:
        if m.steps > limit:
            raise
        m.frame = caller
        m.assumed, m.try_depth = assumed, try_depth
        while len(m.tapes) > tapes:
            natives.leave_tape(m, m.tapes[-1])
        m.give_up(f"call of `{function.name}`: budget of statements used up")
        return Unknown(f"{function.name}()")
    except RaisedError:
        if try_depth:
            raise
        m.frame = caller
        m.assumed = assumed
        while len(m.tapes) > tapes:
            natives.leave_tape(m, m.tapes[-1])
        m.give_up(f"call of `{function.name}` ends with an exception")
        return Unknown(f"{function.name}()")
    finally:
        m.frame = caller
        m.guards, m.truths, m.limit, m.loops = guards, truths, limit, loops
        m.active[node] = active
        m.depth = depth - 1


def bind_arguments(
    m: Machine, code: Any, function: FunctionValue, variables: dict[str, Any], args: list[Any], kwargs: dict[str, Any]
) -> None:
    params: list[str] = code.params
    count = len(params)
    given = len(args)
    spread: Any = None
    position = 0
    for position, value in enumerate(args):
        if type(value) is Spread:
            spread = value.value
            given = position
            break
        if position >= count:
            break
        variables[params[position]] = value
    defaults = function.defaults
    first_default = count - len(defaults)
    taken = 0
    rest = kwargs.get("**")
    for index in range(min(given, count), count):
        name = params[index]
        if name in kwargs:
            variables[name] = kwargs[name]
            taken += 1
        elif spread is not None:
            variables[name] = containers.get_item(m, spread, index - given)
        elif index >= first_default:
            variables[name] = defaults[index - first_default]
        elif rest is not None:
            variables[name] = containers.get_item(m, rest, name)
        else:
            variables[name] = Unknown(name)
    if code.vararg is not None:
        extra = tuple(args[count:given]) if given > count else ()
        variables[code.vararg] = spread if spread is not None and not extra and given >= count else extra
    for name in code.kw_only:
        if name in kwargs:
            variables[name] = kwargs[name]
        else:
            default = function.kw_defaults.get(name, MISSING)
            variables[name] = default if default is not MISSING else Unknown(name)
    if code.kwarg is not None:
        known = {*params, *code.kw_only, "**"}
        variables[code.kwarg] = {k: v for k, v in kwargs.items() if k not in known}
