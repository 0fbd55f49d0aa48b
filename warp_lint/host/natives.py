"""Tapes and other library objects with behaviour of their own."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from warp_lint.host import arrays, calls, containers, contexts, graphs, launch
from warp_lint.host.machine import Machine
from warp_lint.host.values import (
    MISSING,
    ArrayValue,
    BoundMethod,
    FunctionValue,
    HostArray,
    Native,
    NativeMethod,
    PartialValue,
    Sequence,
    TapeValue,
    Unknown,
)
from warp_lint.trace import model

_TAPE = re.compile(r"(^|[^a-z])tape(\b|_|\d|$)", re.IGNORECASE)


def names_tape(text: str) -> bool:
    """Does a dotted name say that the thing is a tape?"""
    last = text.rpartition(".")[2]
    return bool(_TAPE.search(last)) and not last.endswith("()")


def as_tape(m: Machine, value: Unknown) -> TapeValue:
    found: TapeValue | None = value.memo.get(("tape",))
    if found is None:
        found = m.new_tape(value.text.rpartition(".")[2])
        value.memo[("tape",)] = found
    m.use_tape(found)
    return found


# Tapes


def enter_tape(m: Machine, tape: TapeValue) -> None:
    m.emit(model.TapeEvent, target=m.use_tape(tape), action="enter")
    m.tapes = [*m.tapes, tape]


def leave_tape(m: Machine, tape: TapeValue) -> None:
    if tape in m.tapes:
        position = len(m.tapes) - 1 - m.tapes[::-1].index(tape)
        m.tapes = m.tapes[:position] + m.tapes[position + 1 :]
        m.emit(model.TapeEvent, target=m.use_tape(tape), action="exit")


def tape_attribute(m: Machine, tape: TapeValue, name: str) -> Any:
    if name == "gradients":
        return tape.attributes.setdefault(name, m.native("gradients", "gradients", tape=tape))
    found = tape.attributes.get(name, MISSING)
    if found is not MISSING:
        return found
    if name in _TAPE_METHODS or name in ("__enter__", "__exit__"):
        return NativeMethod(tape, name)
    return tape.attributes.setdefault(name, Unknown(f"{tape.name}.{name}"))


def tape_call(m: Machine, site: Any, tape: TapeValue, name: str, args: list[Any], kwargs: dict[str, Any]) -> Any:
    method = _TAPE_METHODS.get(name)
    if method is not None:
        return method(m, tape, args, kwargs)
    return Unknown(f"{tape.name}.{name}()")


def _enter_call(m: Machine, tape: TapeValue, args: list[Any], kwargs: dict[str, Any]) -> Any:
    enter_tape(m, tape)
    return tape


def _exit_call(m: Machine, tape: TapeValue, args: list[Any], kwargs: dict[str, Any]) -> Any:
    leave_tape(m, tape)
    return None


def _zero(m: Machine, tape: TapeValue, args: list[Any], kwargs: dict[str, Any]) -> Any:
    m.emit(model.TapeEvent, target=m.use_tape(tape), action="zero")
    return None


def _reset(m: Machine, tape: TapeValue, args: list[Any], kwargs: dict[str, Any]) -> Any:
    m.emit(model.TapeEvent, target=m.use_tape(tape), action="reset")
    m.keep_list(tape.functions)
    tape.functions.clear()
    return None


def _array_or_none(m: Machine, value: Any) -> ArrayValue | None:
    if isinstance(value, ArrayValue):
        return value
    if isinstance(value, Unknown):
        return arrays.as_array(m, value)
    return None


def _backward(m: Machine, tape: TapeValue, args: list[Any], kwargs: dict[str, Any]) -> Any:
    loss = args[0] if args else kwargs.get("loss")
    grads = args[1] if len(args) > 1 else kwargs.get("grads")
    unknown = "**" in kwargs
    if isinstance(loss, dict):
        loss, grads = None, loss
    array = _array_or_none(m, loss)
    if loss is not None and array is None:
        unknown = True
    seeds: list[tuple[model.Array, model.Array | None]] = []
    if isinstance(grads, dict):
        for key, seed in grads.items():
            target = _array_or_none(m, key)
            if target is None:
                unknown = True
                continue
            value = seed if isinstance(seed, ArrayValue) else None
            if value is None and isinstance(seed, Unknown):
                value = arrays.as_array(m, seed)
            if value is not None and value.gradient_of is not None:
                m.emit(model.GradientRead, array=value.gradient_of, kind="assign")
            seeds.append((target, value))
    elif grads is not None:
        unknown = True
    _run_recorded(m, tape)
    m.emit(
        model.Backward,
        target=m.use_tape(tape),
        loss=array,
        seeds=tuple(seeds),
        unknown_arguments=unknown,
        remark=m.function_remark(),
    )
    return None


def _record(m: Machine, tape: TapeValue, args: list[Any], kwargs: dict[str, Any]) -> Any:
    listed = args[1] if len(args) > 1 else kwargs.get("arrays", ())
    found = [_array_or_none(m, v) for v in containers.known_elements(m, listed) or []]
    m.emit(model.RecordFunction, arrays=tuple(a for a in found if a is not None))
    event = m.trace.events[-1] if m.trace.events else None
    if isinstance(event, model.RecordFunction):
        m.append(tape.functions, (event, args[0] if args else kwargs.get("backward")))
    return None


def _run_recorded(m: Machine, tape: TapeValue) -> None:
    """What recorded functions do, last to first: the first backward pass shows it."""
    for event, function in reversed(tape.functions):
        if event.body is not None or not isinstance(function, (FunctionValue, BoundMethod, PartialValue)):
            continue
        events, tapes = m.trace.events, m.tapes
        m.trace.events, m.tapes = [], []
        try:
            calls.call_value(m, None, function, [], {})
            event.body = tuple(m.trace.events)
        finally:
            m.trace.events, m.tapes = events, tapes


_TAPE_METHODS: dict[str, Callable[[Machine, TapeValue, list[Any], dict[str, Any]], Any]] = {
    "backward": _backward,
    "zero": _zero,
    "reset": _reset,
    "record_func": _record,
    "__enter__": _enter_call,
    "__exit__": _exit_call,
    "visualize": lambda m, tape, args, kwargs: None,
    "record_scope_begin": lambda m, tape, args, kwargs: None,
    "record_scope_end": lambda m, tape, args, kwargs: None,
}


# Attributes of library objects


def attribute(m: Machine, value: Native, name: str) -> Any:
    found = value.state.get(name, MISSING)
    if found is not MISSING:
        return found
    if value.kind in ("handle", "mesh"):
        if name == "id":
            return value
        return value.state.setdefault(name, Unknown(f"{value.name or value.kind}.{name}"))
    if value.kind == "capture" and name == "graph":
        return value.state.setdefault("graph", m.native("graph", value.name))
    if value.kind == "module" and name == "options":
        return value.state.setdefault("options", {})
    if value.kind == "exception" and name == "args":
        return ()
    return NativeMethod(value, name)


def set_attribute(m: Machine, value: Any, name: str, new: Any) -> None:
    if isinstance(value, TapeValue):
        m.put(value.attributes, name, new)
        return
    if value.kind in ("handle", "mesh") and value.state.get(name) is not new:
        m.emit(model.Mutate, owner=value.id, member=(name,), kind="rebind", name=f"{value.name}.{name}")
    m.put(value.state, name, new)


def call_method(m: Machine, site: Any, value: Native, name: str, args: list[Any], kwargs: dict[str, Any]) -> Any:
    method = _METHODS.get((value.kind, name))
    if method is not None:
        return method(m, site, value, args, kwargs)
    stored = value.state.get(name)
    if stored is not None:
        return calls.call_value(m, site, stored, args, kwargs)
    if value.kind == "optimizer":
        return None
    return Unknown(f"{value.name or value.kind}.{name}()")


def call(m: Machine, site: Any, value: Native, args: list[Any], kwargs: dict[str, Any]) -> Any:
    if value.kind == "decorator" and args:
        from warp_lint.host import definitions

        return definitions.decorate(m, value, args[0])
    if value.kind == "itemgetter" and args:
        return containers.get_item(m, args[0], value.state["key"])
    return Unknown(f"{value.kind}()")


def enter(m: Machine, value: Native) -> tuple[Any, Callable[[], bool]]:
    """`with` over a library object."""
    if value.kind == "nullcontext":
        return value.state.get("value"), lambda: False
    if value.kind == "exitstack":

        def close() -> bool:
            for leave in reversed(value.state["leave"]):
                leave()
            value.state["leave"] = []
            return False

        return value, close
    if value.kind == "capture":
        return value, graphs.enter(m, value)
    return value, lambda: False


def sequence(m: Machine, value: Native) -> Sequence:
    if value.kind == "gradients":
        return Sequence(None, lambda i: Unknown("array"))
    elements = value.state.get("elements")
    if isinstance(elements, list):
        return Sequence(len(elements), lambda i: elements[i])
    return Sequence(None, lambda i: Unknown("element"))


def get_item(m: Machine, value: Native, key: Any) -> Any:
    if value.kind == "gradients":
        array = _array_or_none(m, key)
        return arrays.gradient(m, array) if array is not None else Unknown("gradient")
    return Unknown("element")


def set_item(m: Machine, value: Native, key: Any, new: Any) -> None:
    return None


# Methods of library objects


def _optimizer_step(m: Machine, site: Any, value: Native, args: list[Any], kwargs: dict[str, Any]) -> Any:
    given = args[0] if args else kwargs.get("grads", kwargs.get("grad"))
    grads: list[ArrayValue] = []
    for element in containers.known_elements(m, given) or ([given] if isinstance(given, ArrayValue) else []):
        array = (
            element
            if isinstance(element, ArrayValue)
            else arrays.as_array(m, element)
            if isinstance(element, Unknown)
            else None
        )
        if array is None:
            continue
        if array.gradient_of is not None:
            m.emit(model.GradientRead, array=array.gradient_of, kind="optimizer")
        grads.append(array)
    m.emit(model.OptimizerStep, parameters=tuple(value.state["params"]), gradients=tuple(grads))
    return None


def _optimizer_params(m: Machine, site: Any, value: Native, args: list[Any], kwargs: dict[str, Any]) -> Any:
    m.put(value.state, "params", optimizer_parameters(m, args[0] if args else kwargs.get("params")))
    return None


def optimizer_parameters(m: Machine, given: Any) -> list[ArrayValue]:
    if isinstance(given, ArrayValue):
        return [given]
    result = []
    for element in containers.known_elements(m, given) or []:
        if isinstance(element, ArrayValue):
            result.append(element)
        elif isinstance(element, Unknown) and not isinstance(element, HostArray):
            result.append(arrays.as_array(m, element))
    return result


def _command_launch(m: Machine, site: Any, value: Native, args: list[Any], kwargs: dict[str, Any]) -> Any:
    launch.emit(m, value.state["launch"], recorded=False, reason="command")
    return None


def _command_set(m: Machine, site: Any, value: Native, args: list[Any], kwargs: dict[str, Any]) -> Any:
    if len(args) < 2:
        return None
    key, new = args[0], args[1]
    bound = value.state["launch"]
    names = bound.names
    name = names[key] if isinstance(key, int) and key < len(names) else key if isinstance(key, str) else None
    if name is not None:
        m.put(value.state, "launch", launch.rebound(m, bound, {name: new}))
    return None


def _command_set_all(m: Machine, site: Any, value: Native, args: list[Any], kwargs: dict[str, Any]) -> Any:
    bound = value.state["launch"]
    values = containers.known_elements(m, args[0]) if args else None
    if values is not None:
        m.put(value.state, "launch", launch.rebound(m, bound, dict(zip(bound.names, values, strict=False))))
    return None


def _rebuild(m: Machine, site: Any, value: Native, args: list[Any], kwargs: dict[str, Any]) -> Any:
    m.emit(
        model.Mutate, owner=value.id, member=(), kind="rebuild", name=value.name or value.state.get("type", "handle")
    )
    return None


def _enter_context(m: Machine, site: Any, value: Native, args: list[Any], kwargs: dict[str, Any]) -> Any:
    if not args:
        return None
    entered, leave = contexts.enter(m, m.frame, args[0], None)
    value.state["leave"].append(leave)
    return entered


def _add_argument(m: Machine, site: Any, value: Native, args: list[Any], kwargs: dict[str, Any]) -> Any:
    names = [a for a in args if isinstance(a, str)]
    dest = kwargs.get("dest")
    if not isinstance(dest, str):
        long = next((n for n in names if n.startswith("--")), names[0] if names else "")
        dest = long.lstrip("-").replace("-", "_")
    action = kwargs.get("action")
    if "default" in kwargs:
        default = kwargs["default"]
    elif action == "store_true":
        default = False
    elif action == "store_false":
        default = True
    elif names and not names[0].startswith("-"):
        default = Unknown(dest)
    else:
        default = None
    if dest:
        m.put(value.state["arguments"], dest, default)
    return Unknown("argument")


def _parse(m: Machine, site: Any, value: Native, args: list[Any], kwargs: dict[str, Any]) -> Any:
    namespace = m.instance(None, "args")
    namespace.attributes.update(value.state["arguments"])
    return namespace


def _save_for_backward(m: Machine, site: Any, value: Native, args: list[Any], kwargs: dict[str, Any]) -> Any:
    m.put(value.state["instance"].attributes, "saved_tensors", tuple(args))
    return None


_HARMLESS_PARSER = ("add_argument_group", "add_mutually_exclusive_group")
_METHODS: dict[tuple[str, str], Any] = {
    ("optimizer", "step"): _optimizer_step,
    ("optimizer", "set_params"): _optimizer_params,
    ("command", "launch"): _command_launch,
    ("command", "set_param_at_index"): _command_set,
    ("command", "set_param_by_name"): _command_set,
    ("command", "set_params"): _command_set_all,
    ("exitstack", "enter_context"): _enter_context,
    ("exitstack", "callback"): lambda m, site, value, args, kwargs: None,
    ("parser", "add_argument"): _add_argument,
    ("parser", "parse_args"): _parse,
    ("parser", "parse_known_args"): lambda m, site, value, args, kwargs: (_parse(m, site, value, args, kwargs), []),
    ("parser", "set_defaults"): lambda m, site, value, args, kwargs: value.state["arguments"].update(kwargs),
    **{("parser", name): (lambda m, site, value, args, kwargs: value) for name in _HARMLESS_PARSER},
    ("torch_context", "save_for_backward"): _save_for_backward,
    ("handle", "build"): _rebuild,
    ("handle", "rebuild"): _rebuild,
    ("handle", "refit"): _rebuild,
    ("handle", "reserve"): lambda m, site, value, args, kwargs: None,
    ("mesh", "refit"): _rebuild,
    ("gradients", "get"): lambda m, site, value, args, kwargs: get_item(m, value, args[0]),
    ("gradients", "keys"): lambda m, site, value, args, kwargs: Unknown("arrays"),
    ("gradients", "values"): lambda m, site, value, args, kwargs: Unknown("gradients"),
    ("gradients", "items"): lambda m, site, value, args, kwargs: Unknown("gradients"),
}
